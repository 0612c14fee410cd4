import type { UIMessage } from "ai";
import { expect, test } from "vitest";
import { answered, asking, assistant, part } from "../test/parts.js";
import { shouldContinue } from "./should-continue.js";
import type { ToolPart } from "./tool-parts.js";

const done = (fields: object = {}) => part({ state: "output-available", output: 1, ...fields });
const failed = part({ state: "output-error", errorText: "no" });
const denied = part({ state: "output-denied", approval: { id: "a1", approved: false } });
const called = part({ state: "input-available" });
const go = part({ state: "input-available", approval: { id: "a1", approved: true } });
const text = { type: "text" as const, text: "done", state: "done" as const };
const step = { type: "step-start" as const };

const ALONE: [string, ToolPart[], boolean][] = [
  ["a call that runs", [called], false],
  ["a result", [done()], true],
  ["an error of the browser", [failed], true],
  ["a preliminary result", [done({ preliminary: true })], false],
  ["an open approval", [asking()], false],
  ["a yes", [answered(true)], true],
  ["a no", [answered(false)], true],
  ["a call that may run now", [go], false],
  ["a yes beside a result", [answered(true), done()], true],
  ["a no beside a call that runs", [answered(false), called], false],
  ["a result beside an open approval", [done(), asking()], false],
  ["a yes beside an open approval", [answered(true), asking("a2")], false],
  [
    "an open approval that the SDK does not count",
    [done(), asking("a1", { providerExecuted: true })],
    false,
  ],
  ["a denial that is over", [denied], false],
  ["a result of the server", [done({ providerExecuted: true })], false],
];

test.each(ALONE)("%s", (_, parts, expected) => {
  expect(shouldContinue({ messages: [assistant(...parts)] })).toBe(expected);
});

test("answers of an earlier step are old", () => {
  const messages = [assistant(answered(true), done(), step, text)];
  expect(shouldContinue({ messages })).toBe(false);
});

test("only the assistant's last word counts", () => {
  const user: UIMessage = { id: "u1", role: "user", parts: [text] };
  expect(shouldContinue({ messages: [] })).toBe(false);
  expect(shouldContinue({ messages: [assistant(done()), user] })).toBe(false);
});

test("an approved call of the browser waits for its output", () => {
  const messages = [assistant(answered(true))];
  const running = { isRunning: (toolCallId: string) => toolCallId === "c1" };
  expect(shouldContinue({ messages }, running)).toBe(false);
  expect(shouldContinue({ messages }, { isRunning: () => false })).toBe(true);
  const output = done({ approval: { id: "a1", approved: true } });
  expect(shouldContinue({ messages: [assistant(output)] }, running)).toBe(true);
});
