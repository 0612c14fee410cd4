/** How a call ended that has no result: the server says it by a code, never by the words of an error. */
import type { UIMessage } from "ai";
import type { ToolPart } from "./tool-parts.js";

const OUTCOMES = [
  "denied",
  "expired",
  "cancelled",
  "withdrawn",
  "unknown",
  "refused",
  "failed",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** The code of the part's call, once it has ended without a result; a code this package does not know is `failed`. */
export function findOutcome(message: UIMessage, part: ToolPart): Outcome | undefined {
  switch (part.state) {
    case "output-denied":
      return "denied";
    case "output-error":
      return sentOutcome(message, part) ?? "failed";
    case "output-available":
      return part.preliminary ? undefined : outcomeIn(part.output);
    default:
      return undefined;
  }
}

/** `data-approval` says it of a gated call, `data-outcome` of any other. */
function sentOutcome(message: UIMessage, { toolCallId }: ToolPart): Outcome | undefined {
  const said = message.parts.flatMap((one) => {
    if (one.type !== "data-approval" && one.type !== "data-outcome") return [];
    const { data } = one as { data?: { toolCallId?: unknown; outcome?: unknown } | null };
    return data?.toolCallId === toolCallId && isOutcome(data.outcome) ? [data.outcome] : [];
  });
  return said.at(-1);
}

/** ADK tools tell of their failures in the result, and may add the code. */
function outcomeIn(output: unknown): Outcome | undefined {
  const { error, outcome, success } = (output ?? {}) as Record<string, unknown>;
  if (error !== undefined && error !== null) return isOutcome(outcome) ? outcome : "failed";
  return success === false ? "failed" : undefined;
}

const isOutcome = (code: unknown): code is Outcome => OUTCOMES.some((known) => known === code);
