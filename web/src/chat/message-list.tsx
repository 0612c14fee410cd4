import type { ClientTools, ToolAnswers } from "@adk-stream-protocol/client";
import type { ChatStatus } from "ai";
import { useRef } from "react";
import { useTexts } from "../i18n";
import { MessageView } from "./message-view";
import type { ChatMessage } from "./types";
import { useFollow } from "./use-follow";
import { Welcome } from "./welcome";

type Props = {
  messages: ChatMessage[];
  status: ChatStatus;
  tools: ClientTools;
  answers: ToolAnswers;
  /** None in a replay, where nothing can be said or answered. */
  onPick?: (text: string) => void;
};

export function MessageList({ messages, status, tools, answers, onPick }: Props) {
  const texts = useTexts();
  const region = useRef<HTMLElement>(null);
  const onScroll = useFollow(region, messages.length > 0);
  const busy = status === "submitted" || status === "streaming";
  return (
    <section
      className="conversation"
      ref={region}
      onScroll={onScroll}
      aria-label={texts.page.conversation}
      aria-busy={busy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div className="column">
        {messages.length === 0 && onPick && <Welcome onPick={onPick} />}
        <ol className="messages">
          {messages.map((message, index) => (
            <MessageView
              key={message.id}
              message={message}
              current={index === messages.length - 1}
              streaming={busy && index === messages.length - 1}
              tools={tools}
              answers={answers}
              readOnly={!onPick}
            />
          ))}
        </ol>
        {status === "submitted" && (
          <p className="waiting-dots" aria-hidden="true">
            <span />
            <span />
            <span />
          </p>
        )}
      </div>
    </section>
  );
}
