/** Where a call that needs no approval stands. Pure. */
import type { ToolPart } from "@adk-stream-protocol/client";

export type ToolStatus =
  | "preparing"
  | "running"
  | "browser"
  | "done"
  | "failed"
  | "expired"
  | "cancelled"
  | "unknown";

// The wire has no field for why a call did not run; these are the server's first words for it.
const ENDINGS: readonly [string, ToolStatus][] = [
  ["outcome_unknown", "unknown"],
  ["The call expired", "expired"],
  ["The call was cancelled", "cancelled"],
];

type Moment = { inBrowser: boolean; current: boolean };

/** `current` is false once the conversation went on without the call's result. */
export function toolStatus(part: ToolPart, { inBrowser, current }: Moment): ToolStatus {
  switch (part.state) {
    case "output-denied":
      return "failed";
    case "output-available":
      return hasFailed(part.output) ? "failed" : "done";
    case "output-error":
      return ENDINGS.find(([words]) => part.errorText.startsWith(words))?.[1] ?? "failed";
    case "input-streaming":
      return current ? "preparing" : "cancelled";
    default:
      if (!current) return "cancelled";
      return inBrowser ? "browser" : "running";
  }
}

const hasFailed = (output: unknown): boolean =>
  typeof output === "object" &&
  output !== null &&
  ("error" in output || ("success" in output && output.success === false));
