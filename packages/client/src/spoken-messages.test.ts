import type { UIMessage } from "ai";
import { expect, test } from "vitest";
import { withSpokenMessages } from "./spoken-messages.js";

const typed: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: "hi" }] };
const spoken = (id: string, text: string) => ({
  type: "data-user-message" as const,
  id,
  data: { id, text },
});

test("what was said aloud stands before the answer, as the user's", () => {
  const answer = { type: "text" as const, text: "It is sunny." };
  const said = [spoken("s1", "Tokyo?"), { type: "step-start" as const }, spoken("s2", "please")];
  const messages: UIMessage[] = [
    typed,
    { id: "m1", role: "assistant", parts: [...said, answer], metadata: { usage: 1 } },
  ];
  expect(withSpokenMessages(messages)).toEqual([
    typed,
    { id: "s1", role: "user", parts: [{ type: "text", text: "Tokyo?" }] },
    { id: "s2", role: "user", parts: [{ type: "text", text: "please" }] },
    {
      id: "m1",
      role: "assistant",
      parts: [{ type: "step-start" }, answer],
      metadata: { usage: 1 },
    },
  ]);
});

test("all else is the same object as before", () => {
  const answer: UIMessage = {
    id: "m1",
    role: "assistant",
    parts: [{ type: "data-agent", data: { to: "sales" } }],
  };
  const shown = withSpokenMessages([typed, answer]);
  expect(shown[0]).toBe(typed);
  expect(shown[1]).toBe(answer);
});

test("one that cannot be read is not shown", () => {
  const parts = [{ type: "data-user-message" as const, data: null }];
  expect(withSpokenMessages([{ id: "m1", role: "assistant", parts }])).toEqual([
    { id: "m1", role: "assistant", parts: [] },
  ]);
});
