/** Says to screen readers what others see: the answer once it is complete, and what is waited for. */
import { type ChatStatus, isToolUIPart } from "ai";
import { useTexts } from "../i18n";
import type { ChatMessage } from "./types";

type Props = { messages: ChatMessage[]; status: ChatStatus };

export function Announcer({ messages, status }: Props) {
  const texts = useTexts();
  const busy = status === "submitted" || status === "streaming";
  return (
    <div className="visually-hidden" role="status">
      {busy ? texts.message.answering : lastWords(messages.at(-1), texts.approval.needed)}
    </div>
  );
}

function lastWords(message: ChatMessage | undefined, approvalNeeded: string): string {
  if (message?.role !== "assistant") return "";
  const waits = message.parts.some(
    (part) => isToolUIPart(part) && part.state === "approval-requested",
  );
  const text = message.parts.findLast((part) => part.type === "text")?.text ?? "";
  return [text, waits ? approvalNeeded : ""].filter(Boolean).join(" ");
}
