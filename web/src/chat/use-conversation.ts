/** One conversation: `useChat`, the browser's tools, and what the page can do with them. */
import type { ClientTools } from "@adk-stream-protocol/client";
import { useClientTools } from "@adk-stream-protocol/client/react";
import { useChat } from "@ai-sdk/react";
import { useState } from "react";
import { stopTurn } from "./server";
import type { TransportName, Transports } from "./transports";
import type { ChatMessage } from "./types";
import { useRecovery } from "./use-recovery";

export type ConversationOptions = {
  chatId: string;
  initial: ChatMessage[];
  transports: Transports;
  transport: TransportName;
  tools: ClientTools;
};

export function useConversation(options: ConversationOptions) {
  const { chatId, initial, transports, transport, tools } = options;
  const chat = useChat<ChatMessage>({
    id: chatId,
    messages: initial,
    transport: transports[transport],
    throttle: 40,
    sendAutomaticallyWhen: tools.shouldContinue,
    onFinish: ({ isDisconnect }) => {
      recovery.noteResponse();
      if (isDisconnect) recovery.lose();
    },
  });
  useClientTools(tools, chat);
  const line = transport === "bidi" ? transports.line : undefined;
  const recovery = useRecovery({ chat, initial, tools, line });
  const [isStopping, setStopping] = useState(false);
  const send = (text: string) => {
    recovery.setUnanswered(undefined);
    void chat.sendMessage({ text });
  };
  const sendAgain = () => {
    recovery.setUnanswered(undefined);
    // What the server has already is answered anew; without a text the messages go out as they are.
    void (recovery.unanswered === "cut-off" ? chat.regenerate() : chat.sendMessage());
  };

  return {
    ...recovery,
    messages: chat.messages,
    // A message that overtakes the stop finds the chat busy, or is stopped itself.
    status: isStopping ? "streaming" : chat.status,
    error: recovery.isLost || recovery.isTakenOver ? undefined : chat.error,
    addToolOutput: chat.addToolOutput,
    addToolApprovalResponse: chat.addToolApprovalResponse,
    dismissError: chat.clearError,
    send,
    sendAgain,
    stop: () => {
      void chat.stop();
      if (transport !== "sse") return;
      setStopping(true);
      void stopTurn(chatId)
        .catch(recovery.lose)
        .finally(() => setStopping(false));
    },
    retry: () => {
      chat.clearError();
      void (chat.messages.at(-1)?.role === "assistant" ? chat.sendMessage() : chat.regenerate());
    },
  };
}
