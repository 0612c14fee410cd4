/** Tool parts in the states a page meets. */
import type { UIMessage } from "ai";
import type { ToolPart } from "../src/tool-parts.js";

export const part = (fields: object): ToolPart => {
  const whole: unknown = { type: "tool-pay", toolCallId: "c1", input: {}, ...fields };
  return whole as ToolPart;
};

export const asking = (id = "a1", fields: object = {}): ToolPart =>
  part({ state: "approval-requested", approval: { id }, ...fields });

export const answered = (approved: boolean, fields: object = {}): ToolPart =>
  part({ state: "approval-responded", approval: { id: "a1", approved }, ...fields });

export const assistant = (...parts: UIMessage["parts"]): UIMessage => ({
  id: "m1",
  role: "assistant",
  parts: [{ type: "step-start" }, ...parts],
});
