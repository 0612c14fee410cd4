/** What brings a conversation back: after a reload, after a lost connection, when the server speaks. */
import type { ClientTools, ConnectionState } from "@adk-stream-protocol/client";
import type { UseChatHelpers } from "@ai-sdk/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useStable } from "../ui/stable";
import type { Line } from "./line";
import { loadMessages } from "./server";
import type { ChatMessage } from "./types";
import { useConnection } from "./use-connection";

/** The last message has no answer and none is on its way: it never arrived, or the answer was lost. */
export type Unanswered = "unsent" | "cut-off" | undefined;

type Options = {
  chat: UseChatHelpers<ChatMessage>;
  initial: ChatMessage[];
  tools: ClientTools;
  /** The WebSocket, while it is the way to the server. */
  line: Line | undefined;
};

export function useRecovery({ chat, initial, tools, line }: Options) {
  const { id, setMessages, clearError } = chat;
  const [unanswered, setUnanswered] = useState<Unanswered>();
  const { goOn, resume, noteResponse } = useGoOn(chat, tools, setUnanswered);
  const [isTakenOver, setTakenOver] = useState(false);

  useEffect(() => {
    if (initial.length > 0) void goOn(initial);
  }, [initial, goOn]);

  const recover = useCallback(async () => {
    const known = await loadMessages(id);
    setMessages((shown) => {
      const unsent = unsentMessage(known, shown);
      setUnanswered(unsent && "unsent");
      return unsent ? [...known, unsent] : known;
    });
    clearError();
    // It lasts as long as the turn; the line is fine from here on.
    void goOn(known);
  }, [id, setMessages, clearError, goOn]);
  const connection = useConnection(recover);
  const lose = useStable(() => (line?.isTakenOver ? setTakenOver(true) : connection.lose()));
  const onState = useStable((state: ConnectionState) => {
    if (state === "lost" || (state === "closed" && line?.isTakenOver)) lose();
  });

  useEffect(
    () =>
      line?.listen({
        onState,
        onTurn: (chatId) => chatId === id && resume(),
      }),
    [line, id, onState, resume],
  );

  const takeBack = () => {
    line?.reclaim();
    setTakenOver(false);
    void recover().catch(connection.lose);
  };
  const { isLost, isBack } = connection;
  return { isLost, isBack, isTakenOver, takeBack, unanswered, setUnanswered, lose, noteResponse };
}

function useGoOn(
  chat: UseChatHelpers<ChatMessage>,
  tools: ClientTools,
  onUnanswered: (how: Unanswered) => void,
) {
  const responses = useRef(0);
  const noteResponse = () => {
    responses.current += 1;
  };
  const resume = useStable(() => void chat.resumeStream());
  /** Reads along with a turn that runs. If none does, an answer left unsettled goes out again. */
  const goOn = useStable(async (messages: ChatMessage[]) => {
    const before = responses.current;
    await chat.resumeStream();
    if (responses.current !== before) return;
    if (tools.shouldContinue({ messages })) await chat.sendMessage();
    else if (messages.at(-1)?.role === "user") onUnanswered("cut-off");
  });
  return { goOn, resume, noteResponse };
}

/** A message that never reached the server. It stays, so that it can be sent again. */
function unsentMessage(known: ChatMessage[], shown: ChatMessage[]): ChatMessage | undefined {
  const count = (messages: ChatMessage[]) => messages.filter(({ role }) => role === "user").length;
  const last = shown.at(-1);
  return last?.role === "user" && count(shown) > count(known) ? last : undefined;
}
