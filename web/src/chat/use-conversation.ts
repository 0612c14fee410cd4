/** One conversation: `useChat`, the browser's tools, and what to do when the line breaks. */
import type { ClientTools } from "@adk-stream-protocol/client";
import { useClientTools } from "@adk-stream-protocol/client/react";
import { useChat } from "@ai-sdk/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useStable } from "../ui/stable";
import { loadMessages, stopTurn } from "./server";
import type { TransportName, Transports } from "./transports";
import type { ChatMessage } from "./types";
import { useConnection } from "./use-connection";

export type ConversationOptions = {
  chatId: string;
  initial: ChatMessage[];
  transports: Transports;
  transport: TransportName;
  tools: ClientTools;
};

export function useConversation(options: ConversationOptions) {
  const { chatId, initial, transports, transport, tools } = options;
  const responses = useRef(0);
  const chat = useChat<ChatMessage>({
    id: chatId,
    messages: initial,
    transport: transports[transport],
    throttle: 40,
    sendAutomaticallyWhen: tools.shouldContinue,
    onFinish: ({ isDisconnect }) => {
      responses.current += 1;
      if (isDisconnect) lose();
    },
  });
  useClientTools(tools, chat);
  const [isUnsent, setUnsent] = useState(false);

  const { setMessages, clearError } = chat;
  /** Reads along with a turn that runs. If none does, an answer that was left unsettled goes out again. */
  const goOn = useStable(async (messages: ChatMessage[]) => {
    const before = responses.current;
    await chat.resumeStream();
    if (responses.current === before && tools.shouldContinue({ messages })) await chat.sendMessage();
  });
  useEffect(() => {
    if (initial.length > 0) void goOn(initial);
  }, [initial, goOn]);

  const recover = useCallback(async () => {
    const known = await loadMessages(chatId);
    setMessages((shown) => {
      const unsent = unsentMessage(known, shown);
      setUnsent(unsent !== undefined);
      return unsent ? [...known, unsent] : known;
    });
    clearError();
    // It lasts as long as the turn; the line is fine from here on.
    void goOn(known);
  }, [chatId, setMessages, clearError, goOn]);
  const { lose, isLost, isBack } = useConnection(recover);

  useEffect(() => {
    if (transport !== "bidi") return;
    return transports.line.listen({
      onState: (state) => state === "lost" && lose(),
      onTurn: (id) => id === chatId && void chat.resumeStream(),
    });
  }, [transports, transport, chatId, lose, resume]);

  return {
    messages: chat.messages,
    status: chat.status,
    error: isLost ? undefined : chat.error,
    isLost,
    isBack,
    addToolOutput: chat.addToolOutput,
    addToolApprovalResponse: chat.addToolApprovalResponse,
    isUnsent,
    send: (text: string) => {
      setUnsent(false);
      void chat.sendMessage({ text });
    },
    sendAgain: () => {
      setUnsent(false);
      void chat.sendMessage();
    },
    stop: () => {
      void chat.stop();
      if (transport === "sse") void stopTurn(chatId).catch(lose);
    },
    retry: () => {
      clearError();
      void (chat.messages.at(-1)?.role === "assistant" ? chat.sendMessage() : chat.regenerate());
    },
    dismissError: clearError,
  };
}

/** A message that never reached the server. It stays, so that it can be sent again. */
function unsentMessage(known: ChatMessage[], shown: ChatMessage[]): ChatMessage | undefined {
  const count = (messages: ChatMessage[]) => messages.filter(({ role }) => role === "user").length;
  const last = shown.at(-1);
  return last?.role === "user" && count(shown) > count(known) ? last : undefined;
}
