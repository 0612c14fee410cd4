/** When a chat goes on by itself: every question of its last step is answered. */
import type { UIMessage } from "ai";
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import type { ToolPart } from "./tool-parts.js";
import { lastStepTools } from "./tool-parts.js";

/** Knows which calls the browser is answering now. `clientTools` does. */
export interface RunningCalls {
  isRunning(toolCallId: string): boolean;
}

/**
 * For `sendAutomaticallyWhen`. True once per complete set of answers: no approval is open, no approved
 * browser call is still running, and one of the SDK's own predicates holds.
 */
export function shouldContinue(
  { messages }: { messages: UIMessage[] },
  calls?: RunningCalls,
): boolean {
  const isUnanswered = (part: ToolPart) =>
    part.state === "approval-requested" ||
    (part.state === "approval-responded" && calls?.isRunning(part.toolCallId) === true);
  return (
    !lastStepTools(messages).some(isUnanswered) &&
    (lastAssistantMessageIsCompleteWithApprovalResponses({ messages }) ||
      lastAssistantMessageIsCompleteWithToolCalls({ messages }))
  );
}
