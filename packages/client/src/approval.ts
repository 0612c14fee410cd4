/** What the server says of a call that waits for a person, and how far that has come. */
import type { UIMessage } from "ai";
import type { Outcome } from "./outcome.js";
import type { ToolPart } from "./tool-parts.js";

/**
 * One argument as text. `cut` says that the text is not all of it, `lookAlike` that letters of it pass
 * for those of another script.
 */
export interface ApprovalArgument {
  name: string;
  value: string;
  kind: "string" | "number" | "boolean" | "null" | "object" | "array";
  cut: boolean;
  lookAlike?: boolean;
}

/** The server's `data-approval` part. Its texts are plain text: never render them as Markdown or HTML. */
export interface ApprovalRequest {
  toolCallId: string;
  tool: string;
  title: string;
  hint?: string;
  risk: "low" | "medium" | "high";
  icon?: string;
  color?: string;
  arguments: ApprovalArgument[];
  /** ISO 8601, UTC. */
  expiresAt: string;
  /** How the call ended, once it has without a result. */
  outcome?: Outcome;
}

export type ApprovalStatus = "waiting" | "approved" | "running" | "done" | Outcome;

/** What the server says of the part's call, if its message holds it. */
export function findApproval(message: UIMessage, part: ToolPart): ApprovalRequest | undefined {
  const requests = message.parts.flatMap((one) =>
    one.type === "data-approval" && "data" in one && isRequest(one.data) ? [one.data] : [],
  );
  return requests.findLast(({ toolCallId }) => toolCallId === part.toolCallId);
}

export interface ApprovalMoment {
  /** Its time is over. */
  isExpired: boolean;
  /** The conversation has moved on. */
  isCancelled: boolean;
  /** The browser is running the call. */
  isRunning: boolean;
  /** What `findOutcome` says of the call. */
  outcome: Outcome | undefined;
}

export function approvalStatus(part: ToolPart, moment: ApprovalMoment): ApprovalStatus {
  switch (part.state) {
    case "approval-requested":
      if (moment.isRunning) return "running";
      if (moment.isCancelled) return "cancelled";
      return moment.isExpired ? "expired" : "waiting";
    case "approval-responded":
      if (!part.approval.approved) return "denied";
      return moment.isRunning ? "running" : "approved";
    case "output-denied":
    case "output-available":
    case "output-error":
      if (moment.outcome) return moment.outcome;
      return "preliminary" in part && part.preliminary ? "running" : "done";
    default:
      return moment.isCancelled ? "cancelled" : "running";
  }
}

function isRequest(data: unknown): data is ApprovalRequest {
  const { toolCallId, title, arguments: shown } = (data ?? {}) as Partial<ApprovalRequest>;
  return typeof toolCallId === "string" && typeof title === "string" && Array.isArray(shown);
}
