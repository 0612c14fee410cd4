import { expect, test } from "vitest";
import { answered, asking, assistant, part } from "../test/parts.js";
import type { ApprovalMoment, ApprovalRequest } from "./approval.js";
import { approvalStatus, findApproval } from "./approval.js";
import { findOutcome } from "./outcome.js";
import type { ToolPart } from "./tool-parts.js";

const request: ApprovalRequest = {
  toolCallId: "c1",
  tool: "pay",
  title: "Pay",
  risk: "high",
  arguments: [{ name: "amount", value: "50", kind: "number", cut: false }],
  expiresAt: "2030-01-01T00:00:00.000Z",
};
const shown = (data: unknown, id = "a1") => ({ type: "data-approval" as const, id, data });

test("the server's description is found by the call, and the newest one counts", () => {
  const message = assistant(
    asking(),
    shown({ ...request, toolCallId: "c2" }, "a2"),
    shown(request),
    shown({ ...request, title: "Pay again" }, "a3"),
  );
  expect(findApproval(message, asking())?.title).toBe("Pay again");
  expect(findApproval(message, asking("a9", { toolCallId: "c9" }))).toBeUndefined();
});

test("a description that cannot be read is none", () => {
  const broken = [null, "text", { toolCallId: "c1" }, { ...request, arguments: "all" }];
  const message = assistant(...broken.map((data) => shown(data)));
  expect(findApproval(message, asking())).toBeUndefined();
});

const output = (value: unknown) => part({ state: "output-available", output: value });
const error = (errorText: string) => part({ state: "output-error", errorText });

const STATES: [string, ToolPart, Partial<ApprovalMoment>][] = [
  ["waiting", asking(), {}],
  ["expired", asking(), { isExpired: true }],
  ["cancelled", asking(), { isCancelled: true, isExpired: true }],
  ["running", asking(), { isRunning: true }],
  ["approved", answered(true), {}],
  ["running", answered(true), { isRunning: true }],
  ["denied", answered(false), {}],
  ["denied", part({ state: "output-denied" }), {}],
  ["running", part({ state: "input-available", approval: { id: "a1", approved: true } }), {}],
  ["cancelled", part({ state: "input-available" }), { isCancelled: true }],
  ["done", output({ success: true }), {}],
  ["done", output("sent"), {}],
  ["done", output(null), {}],
  ["running", part({ state: "output-available", output: 1, preliminary: true }), {}],
  ["failed", output({ success: false }), {}],
  ["failed", output({ error: "No money.", balance: 3 }), {}],
  ["unknown", output({ error: "No answer.", outcome: "unknown", balance: 3 }), {}],
  ["failed", error("User denied Geolocation"), {}],
  ["unknown", error("It was started, but …"), { outcome: "unknown" }],
  ["expired", error("Nobody answered in time."), { outcome: "expired" }],
  ["cancelled", error("The user went on without answering."), { outcome: "cancelled" }],
  ["withdrawn", error("The agent took the call back."), { outcome: "withdrawn" }],
  ["refused", error("This call was not approved."), { outcome: "refused" }],
];

test.each(STATES)("%s", (expected, subject, moment) => {
  const outcome = findOutcome(assistant(subject), subject);
  const now = { isExpired: false, isCancelled: false, isRunning: false, outcome, ...moment };
  expect(approvalStatus(subject, now)).toBe(expected);
});
