import {
  type ClientTools,
  findApproval,
  type ToolAnswers,
  type ToolPart,
} from "@adk-stream-protocol/client";
import { getToolName, isToolUIPart } from "ai";
import { memo } from "react";
import { ApprovalCard } from "../approval/approval-card";
import { useTexts } from "../i18n";
import { Boundary } from "../ui/boundary";
import { Markdown } from "./markdown";
import { Reasoning } from "./reasoning";
import { ToolCard } from "./tool-card";
import type { ChatMessage, MessagePart } from "./types";

type Props = {
  message: ChatMessage;
  /** Whether it is the last message: what is open in an earlier one was left behind. */
  current: boolean;
  streaming: boolean;
  tools: ClientTools;
  answers: ToolAnswers;
  /** In a replay nothing can be answered. */
  readOnly: boolean;
};

export const MessageView = memo(function MessageView(props: Props) {
  const { message } = props;
  const texts = useTexts();
  const author = message.role === "user" ? texts.message.you : texts.message.assistant;
  return (
    <li className="message" data-role={message.role}>
      <h2 className="visually-hidden">{author}</h2>
      <div className="message-body">
        {message.parts.map((part, index) => (
          <Boundary
            key={keyOf(part, index)}
            content={part}
            fallback={<p className="source">{texts.message.notShown}</p>}
          >
            <Part {...props} part={part} />
          </Boundary>
        ))}
      </div>
    </li>
  );
});

const keyOf = (part: MessagePart, index: number): string =>
  isToolUIPart(part) ? part.toolCallId : `${part.type}-${index}`;

function Part(props: Props & { part: MessagePart }) {
  const { part, message, streaming } = props;
  const texts = useTexts();
  if (isToolUIPart(part)) return <ToolPartView {...props} part={part} />;
  switch (part.type) {
    case "text":
      if (message.role === "user") return <p className="user-text">{part.text}</p>;
      return part.text ? <Markdown text={part.text} /> : null;
    case "reasoning":
      return <Reasoning text={part.text} streaming={streaming && part.state === "streaming"} />;
    case "file":
      return <FileView mediaType={part.mediaType} url={part.url} name={part.filename ?? ""} />;
    case "data-agent":
      return <p className="handover">{texts.message.handover(part.data.to)}</p>;
    case "source-url":
      return <p className="source">{part.title ? `${part.title} (${part.url})` : part.url}</p>;
    default:
      return null;
  }
}

function ToolPartView(props: Props & { part: ToolPart }) {
  const { part, message, current, streaming, tools, answers, readOnly } = props;
  const wasAsked = "approval" in part && part.approval;
  // In the history a request that nobody answered has no approval any more, only its description.
  if (!wasAsked && !findApproval(message, part)) {
    const inBrowser = tools.has(getToolName(part));
    return <ToolCard part={part} message={message} current={current} inBrowser={inBrowser} />;
  }
  return (
    <ApprovalCard
      part={part}
      message={message}
      tools={tools}
      open={current}
      waiting={openApprovals(message)}
      // A turn that runs takes no answers; while it is replayed, old requests look open again.
      readOnly={readOnly || streaming}
      {...answers}
    />
  );
}

const openApprovals = ({ parts }: ChatMessage): number =>
  parts.filter((part) => isToolUIPart(part) && part.state === "approval-requested").length;

type FileProps = { mediaType: string; url: string; name: string };

function FileView({ mediaType, url, name }: FileProps) {
  const texts = useTexts();
  if (isOwn(url) && mediaType.startsWith("image/"))
    return <img className="picture" src={url} alt={name || texts.message.image} />;
  return <p className="source">{texts.message.file(name || mediaType)}</p>;
}

/** Only what this server sent is loaded. An address that cannot be read is nobody's. */
function isOwn(url: string): boolean {
  if (url.startsWith("data:")) return true;
  try {
    return url !== "" && new URL(url, location.href).origin === location.origin;
  } catch {
    return false;
  }
}
