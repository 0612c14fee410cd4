// @vitest-environment jsdom
import { act, cleanup, renderHook } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answered, asking, assistant, part } from "../../test/parts.js";
import { clientTools } from "../client-tools.js";
import type { ToolPart } from "../tool-parts.js";
import type { ToolApprovalOptions } from "./use-tool-approval.js";
import { useToolApproval } from "./use-tool-approval.js";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const request = {
  toolCallId: "c1",
  tool: "pay",
  title: "Send money",
  risk: "high",
  arguments: [],
  expiresAt: new Date(NOW + 90_500).toISOString(),
};
const message = assistant({ type: "data-approval", id: "a1", data: request });
const addToolApprovalResponse = vi.fn();
const addToolOutput = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.clearAllMocks();
});

function render(subject: ToolPart, options: Partial<ToolApprovalOptions> = {}) {
  const all = { message, addToolApprovalResponse, addToolOutput, ...options };
  return renderHook(({ shown, more }) => useToolApproval(shown, { ...all, ...more }), {
    initialProps: { shown: subject, more: {} as Partial<ToolApprovalOptions> },
    wrapper: StrictMode,
  });
}

const tick = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

test("it says what is asked and how long it may be answered", async () => {
  const { result } = render(asking());
  expect(result.current).toMatchObject({ status: "waiting", remaining: 91 });
  expect(result.current.approval).toMatchObject({ title: "Send money", risk: "high" });
  await tick(10_000);
  expect(result.current.remaining).toBe(81);
});

test("yes is handed to the chat, and only the first click counts", async () => {
  const { result } = render(asking());
  act(() => {
    result.current.approve("fine");
    result.current.approve("fine");
    result.current.deny();
  });
  expect(addToolApprovalResponse.mock.calls).toEqual([
    [{ id: "a1", approved: true, reason: "fine" }],
  ]);
});

test("no is handed to the chat", async () => {
  const { result } = render(asking());
  act(() => result.current.deny());
  expect(addToolApprovalResponse.mock.calls).toEqual([[{ id: "a1", approved: false }]]);
});

test("when its time is over it takes no answer", async () => {
  const { result } = render(asking());
  await tick(92_000);
  expect(result.current).toMatchObject({ status: "expired", remaining: 0 });
  act(() => result.current.approve());
  expect(addToolApprovalResponse).not.toHaveBeenCalled();
});

test("when the conversation has moved on it takes no answer", () => {
  const { result } = render(asking(), { open: false });
  expect(result.current).toMatchObject({ status: "cancelled", remaining: undefined });
  act(() => result.current.approve());
  expect(addToolApprovalResponse).not.toHaveBeenCalled();
});

test("what is answered takes no answer", () => {
  for (const subject of [answered(true), answered(false), part({ state: "output-denied" })]) {
    const { result } = render(subject);
    act(() => result.current.approve());
  }
  expect(addToolApprovalResponse).not.toHaveBeenCalled();
});

test("without a description there is no countdown", () => {
  const { result } = render(asking(), { message: assistant() });
  expect(result.current).toMatchObject({ approval: undefined, remaining: undefined });
});

test("the countdown ends with the question", async () => {
  const { result, rerender } = render(asking());
  rerender({ shown: answered(true), more: {} });
  expect(result.current).toMatchObject({ status: "approved", remaining: undefined });
  expect(vi.getTimerCount()).toBe(0);
});

test("a question that comes back can be answered again", () => {
  const { result, rerender } = render(asking());
  act(() => result.current.approve());
  rerender({ shown: answered(true), more: {} });
  rerender({ shown: asking(), more: {} });
  act(() => result.current.approve());
  expect(addToolApprovalResponse).toHaveBeenCalledTimes(2);
});

test("yes to a tool of the browser runs it, then approval and result go together", async () => {
  let finish: (value: unknown) => void = () => {};
  const run = vi.fn(() => new Promise((resolve) => (finish = resolve)));
  const tools = clientTools({ pay: { run, approval: true } });
  const { result } = render(asking(), { tools });
  act(() => {
    result.current.approve();
    result.current.approve();
  });
  expect(result.current.status).toBe("running");
  expect(addToolApprovalResponse).not.toHaveBeenCalled();
  await act(async () => finish({ here: true }));
  await tick(0);
  expect(run).toHaveBeenCalledTimes(1);
  expect(addToolApprovalResponse.mock.calls).toEqual([[{ id: "a1", approved: true }]]);
  expect(addToolOutput.mock.calls).toEqual([
    [{ tool: "pay", toolCallId: "c1", output: { here: true } }],
  ]);
});

test("no to a tool of the browser does not run it", () => {
  const run = vi.fn();
  const { result } = render(asking(), { tools: clientTools({ pay: { run, approval: true } }) });
  act(() => result.current.deny("private"));
  expect(run).not.toHaveBeenCalled();
  expect(addToolApprovalResponse.mock.calls).toEqual([
    [{ id: "a1", approved: false, reason: "private" }],
  ]);
});
