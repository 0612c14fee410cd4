/** Answers the calls of browser tools as a chat goes on. */
import type { ChatStatus, UIMessage } from "ai";
import { useEffect } from "react";
import type { ClientTools, ToolAnswers } from "../client-tools.js";

/** What `useChat` returns has all of it. */
export interface ChatWithTools extends ToolAnswers {
  messages: readonly UIMessage[];
  status: ChatStatus;
}

/** Waits for the end of each response: while it streams, a replayed call still looks unanswered. */
export function useClientTools(tools: ClientTools, chat: ChatWithTools): void {
  const { messages, status, addToolOutput, addToolApprovalResponse } = chat;
  useEffect(() => {
    if (status === "ready") tools.answer(messages, { addToolOutput, addToolApprovalResponse });
  }, [tools, messages, status, addToolOutput, addToolApprovalResponse]);
}
