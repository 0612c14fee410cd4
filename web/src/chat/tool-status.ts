/** Where a call that needs no approval stands. Pure. */
import type { Outcome, ToolPart } from "@adk-stream-protocol/client";

export type ToolStatus = "preparing" | "running" | "browser" | "done" | Outcome;

type Moment = { inBrowser: boolean; current: boolean; outcome: Outcome | undefined };

/** `current` is false once the conversation went on without the call's result. */
export function toolStatus(part: ToolPart, { inBrowser, current, outcome }: Moment): ToolStatus {
  switch (part.state) {
    case "output-denied":
    case "output-available":
    case "output-error":
      return outcome ?? "done";
    case "input-streaming":
      return current ? "preparing" : "cancelled";
    default:
      if (!current) return "cancelled";
      return inBrowser ? "browser" : "running";
  }
}
