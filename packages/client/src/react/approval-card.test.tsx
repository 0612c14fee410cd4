// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { answered, asking, assistant } from "../../test/parts.js";
import { ApprovalCard } from "./approval-card.js";

const HOSTILE = "<img src=x onerror=alert(1)> **bold** [link](javascript:alert(1))";
const request = {
  toolCallId: "c1",
  tool: "pay",
  title: "Send money",
  hint: "It cannot be called back.",
  risk: "high",
  arguments: [
    { name: "recipient", value: HOSTILE, kind: "string", cut: false },
    { name: "note", value: "long ⟨…⟩ text", kind: "string", cut: true, lookAlike: true },
  ],
  expiresAt: new Date(Date.now() + 125_000).toISOString(),
};
const message = assistant({ type: "data-approval", id: "a1", data: request });
const addToolApprovalResponse = vi.fn();
const answers = { addToolApprovalResponse, addToolOutput: vi.fn() };

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

const slot = (name: string) => document.querySelector(`[data-slot="${name}"]`);

test("it shows what is asked, in order, and the two answers", () => {
  render(<ApprovalCard part={asking()} message={message} className="mine" {...answers} />);
  const card = screen.getByRole("region", { name: "Send money" });
  expect(card.className).toBe("mine");
  expect(card.dataset).toMatchObject({ slot: "approval", status: "waiting", risk: "high" });
  expect(slot("approval-hint")?.textContent).toBe("It cannot be called back.");
  expect(screen.getAllByRole("term").map((term) => term.textContent)).toEqual([
    "recipient",
    "note",
  ]);
  expect(slot("approval-cut")).not.toBeNull();
  expect(slot("approval-look-alike")?.textContent).toBe("(look-alike letters)");
  expect(slot("approval-remaining")?.textContent).toMatch(/^2:0\d$/);
  fireEvent.click(screen.getByRole("button", { name: "Approve" }));
  fireEvent.click(screen.getByRole("button", { name: "Approve" }));
  expect(addToolApprovalResponse.mock.calls).toEqual([[{ id: "a1", approved: true }]]);
});

test("arguments are text and nothing else", () => {
  const { container } = render(<ApprovalCard part={asking()} message={message} {...answers} />);
  expect(screen.getAllByRole("definition")[0]?.textContent).toBe(HOSTILE);
  expect(container.querySelectorAll("img, a, strong, script")).toHaveLength(0);
});

test("without a description the call itself is shown", () => {
  const input = { amount: 50, to: "Hanako" };
  render(<ApprovalCard part={asking("a1", { input })} message={assistant()} {...answers} />);
  expect(screen.getByRole("region", { name: "pay" })).toBeTruthy();
  expect(screen.getAllByRole("definition").map((value) => value.textContent)).toEqual([
    "50",
    "Hanako",
  ]);
});

test("the words on the buttons are the page's", () => {
  const labels = { approve: "承認", deny: "拒否" };
  render(<ApprovalCard part={asking()} message={message} labels={labels} {...answers} />);
  fireEvent.click(screen.getByRole("button", { name: "拒否" }));
  expect(addToolApprovalResponse.mock.calls).toEqual([[{ id: "a1", approved: false }]]);
  expect(screen.getByRole("button", { name: "承認" })).toBeTruthy();
});

test("an answered card has no buttons", () => {
  render(<ApprovalCard part={answered(true)} message={message} {...answers} />);
  expect(screen.getByRole("region").dataset.status).toBe("approved");
  expect(screen.queryAllByRole("button")).toEqual([]);
});

test("children take the place of the buttons", () => {
  render(
    <ApprovalCard part={asking()} message={message} {...answers}>
      {({ status, deny }) => (
        <button type="button" onClick={() => deny("not now")}>
          {status}
        </button>
      )}
    </ApprovalCard>,
  );
  fireEvent.click(screen.getByRole("button", { name: "waiting" }));
  expect(addToolApprovalResponse.mock.calls).toEqual([
    [{ id: "a1", approved: false, reason: "not now" }],
  ]);
});

test("children may be plain content", () => {
  render(
    <ApprovalCard part={asking()} message={message} {...answers}>
      <p>ask your manager</p>
    </ApprovalCard>,
  );
  expect(screen.getByText("ask your manager")).toBeTruthy();
  expect(screen.queryAllByRole("button")).toEqual([]);
});
