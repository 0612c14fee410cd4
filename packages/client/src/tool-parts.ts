/** Tool parts of a message, as the SDK types them. */
import type { DynamicToolUIPart, ToolUIPart, UIMessage } from "ai";
import { isToolUIPart } from "ai";

export type ToolPart = ToolUIPart | DynamicToolUIPart;

/** The tool parts of the last message after its last step began, if the assistant said it. */
export function lastStepTools(messages: readonly UIMessage[]): ToolPart[] {
  const message = messages.at(-1);
  if (message?.role !== "assistant") return [];
  const start = message.parts.findLastIndex(({ type }) => type === "step-start");
  return message.parts.slice(start + 1).filter((part) => isToolUIPart(part));
}

/** The go signal: the server sends an approved call of the browser once more, with its approval kept. */
export function isApproved(part: ToolPart): boolean {
  // The SDK's types know no approval in this state; its code keeps it (`ai` 6 and 7).
  const { approval } = part as { approval?: { approved?: boolean } };
  return approval?.approved === true;
}
