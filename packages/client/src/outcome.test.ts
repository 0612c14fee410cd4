import { expect, test } from "vitest";
import { asking, assistant, part } from "../test/parts.js";
import type { Outcome } from "./outcome.js";
import { findOutcome } from "./outcome.js";
import type { ToolPart } from "./tool-parts.js";

const CODES: Outcome[] = [
  "denied",
  "expired",
  "cancelled",
  "withdrawn",
  "unknown",
  "refused",
  "failed",
];
const failed = part({ state: "output-error", errorText: "The call expired: not really." });
const output = (value: unknown) => part({ state: "output-available", output: value });
const said = (type: "data-approval" | "data-outcome", outcome: unknown, toolCallId = "c1") => ({
  type,
  id: "a1",
  data: { toolCallId, outcome },
});

test.each(CODES)("%s is read from the part of a gated call, and of any other", (code) => {
  expect(findOutcome(assistant(failed, said("data-approval", code)), failed)).toBe(code);
  expect(findOutcome(assistant(said("data-outcome", code), failed), failed)).toBe(code);
});

test("the words of an error say nothing", () => {
  expect(findOutcome(assistant(failed), failed)).toBe("failed");
});

test("a code of another call, no code, and one that nobody knows are not read", () => {
  const others = [
    said("data-outcome", "expired", "c2"),
    said("data-approval", undefined),
    said("data-outcome", "exploded"),
    { type: "data-outcome" as const, data: null },
  ];
  expect(findOutcome(assistant(...others, failed), failed)).toBe("failed");
});

test.each<[Outcome | undefined, ToolPart]>([
  ["denied", part({ state: "output-denied" })],
  ["unknown", output({ error: "No answer.", outcome: "unknown", balance: 3 })],
  ["failed", output({ error: "No money.", balance: 3 })],
  ["failed", output({ error: { code: 3 } })],
  ["failed", output({ success: false })],
  [undefined, output({ error: null, rows: 2 })],
  [undefined, output({ outcome: "unknown" })],
  [undefined, output("sent")],
  [undefined, output(null)],
  [undefined, part({ state: "output-available", output: { error: "not yet" }, preliminary: true })],
  [undefined, asking()],
])("%s", (expected, subject) => {
  expect(findOutcome(assistant(subject), subject)).toBe(expected);
});
