import { expect, test } from "vitest";
import { answered, asking, assistant, part } from "../test/parts.js";
import { isApproved, lastStepTools } from "./tool-parts.js";

test("the tools of the last step, and of the assistant's last message only", () => {
  const dynamic = part({ type: "dynamic-tool", toolName: "pay", state: "input-available" });
  const text = { type: "text" as const, text: "so" };
  const message = assistant(asking(), { type: "step-start" }, text, dynamic);
  expect(lastStepTools([message])).toEqual([dynamic]);
  expect(lastStepTools([message, { id: "u1", role: "user", parts: [text] }])).toEqual([]);
  expect(lastStepTools([])).toEqual([]);
});

test("a message without steps is one step", () => {
  expect(lastStepTools([{ id: "m1", role: "assistant", parts: [asking()] }])).toEqual([asking()]);
});

test("only a yes is an approval", () => {
  const go = { state: "input-available", approval: { id: "a1", approved: true } };
  expect([part(go), answered(true)].map(isApproved)).toEqual([true, true]);
  const none = part({ state: "input-available" });
  const unclear = part({ state: "input-available", approval: { id: "a1" } });
  expect([none, unclear, asking(), answered(false)].map(isApproved)).toEqual(Array(4).fill(false));
});
