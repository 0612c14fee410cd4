/** Calls that need no approval, and what a reload or a lost connection does to them. */
import type { UIMessage } from "ai";
import { expect, test, vi } from "vitest";
import { calling, input, settling } from "../test/chunks.js";
import { HERE, MUSIC, output, posted, setToolStage } from "../test/tool-page.js";
import { clientTools } from "./client-tools.js";
import { lastStepTools } from "./tool-parts.js";

const stage = setToolStage();

test("a call without approval runs and its output is posted, once", async () => {
  const change_bgm = vi.fn(({ track }: { track: number }) => ({ success: true, track }));
  const chat = stage.page(clientTools({ change_bgm }));
  void chat.sendMessage({ text: "music" });
  await stage.reply(0, calling(MUSIC));
  const request = await stage.reply(1, settling());
  const result = { success: true, track: 2 };
  expect(posted(request)).toEqual([
    { toolCallId: "k1", state: "output-available", output: result },
  ]);
  await stage.rests(chat, 2);
  expect(change_bgm.mock.calls).toEqual([[{ track: 2 }, { toolCallId: "k1" }]]);
});

test("what fails is posted in the browser's own words", async () => {
  const refusal = { code: 1, message: "User denied Geolocation" };
  const chat = stage.page(clientTools({ change_bgm: () => Promise.reject(refusal) }));
  void chat.sendMessage({ text: "music" });
  await stage.reply(0, calling(MUSIC));
  expect(posted(await stage.reply(1, settling()))).toEqual([
    { toolCallId: "k1", state: "output-error", errorText: "User denied Geolocation" },
  ]);
  await stage.rests(chat, 2);
});

test.each([
  [new Error("No speakers"), "No speakers"],
  [new Error(""), "The tool failed (Error)."],
  ["just a string", "The tool failed (just a string)."],
  [undefined, "The tool failed (undefined)."],
])("a failure %o always has words", async (thrown, errorText) => {
  const change_bgm = () => {
    throw thrown;
  };
  const chat = stage.page(clientTools({ change_bgm }));
  void chat.sendMessage({ text: "music" });
  await stage.reply(0, calling(MUSIC));
  expect(posted(await stage.reply(1, settling()))).toEqual([
    { toolCallId: "k1", state: "output-error", errorText },
  ]);
});

class Position {
  toJSON = () => HERE;
}

test.each([
  ["nothing", undefined, null],
  ["an object of the browser", new Position(), HERE],
])("%s as output travels as JSON", async (_, value, expected) => {
  const chat = stage.page(clientTools({ change_bgm: () => value }));
  void chat.sendMessage({ text: "music" });
  await stage.reply(0, calling(MUSIC));
  expect(posted(await stage.reply(1, settling()))).toMatchObject([{ output: expected }]);
});

test("two calls of one step are posted together", async () => {
  const chat = stage.page(clientTools({ change_bgm: ({ track }: { track: number }) => track }));
  void chat.sendMessage({ text: "music" });
  await stage.reply(0, calling(MUSIC, { ...MUSIC, toolCallId: "k2", input: { track: 3 } }));
  expect(posted(await stage.reply(1, settling()))).toMatchObject([{ output: 2 }, { output: 3 }]);
  await stage.rests(chat, 2);
});

test("tools that the page does not have are left to others", async () => {
  const chat = stage.page(clientTools({}));
  void chat.sendMessage({ text: "music" });
  await stage.reply(0, calling(MUSIC, { ...MUSIC, toolCallId: "k2", toolName: "constructor" }));
  await stage.rests(chat, 1);
  expect(chat.calls).toEqual(["input-available", "input-available"]);
});

test("a call that a reload replays with its output does not run again", async () => {
  const change_bgm = vi.fn(() => ({ success: true }));
  const chat = stage.page(clientTools({ change_bgm }));
  void chat.resumeStream();
  const { requestId } = await stage.server.request(0);
  const continued = settling(output("k1", { success: true })).slice(1);
  stage.server.reply(requestId, [...calling(MUSIC).slice(0, -1), ...continued]);
  await chat.becomes("ready");
  await stage.server.barrier();
  expect([chat.calls, stage.server.types]).toEqual([["output-available"], ["resume"]]);
  expect(change_bgm).not.toHaveBeenCalled();
});

test("a call that was open when the page was reloaded is answered", async () => {
  const tools = clientTools({ change_bgm: () => ({ success: true }) });
  const chat = stage.page(tools);
  const { toolCallId, input } = MUSIC;
  const part = { type: "tool-change_bgm", toolCallId, input, state: "input-available" } as const;
  chat.messages = [{ id: "m1", role: "assistant", parts: [{ type: "step-start" }, part] }];
  for (const _ of [1, 2]) tools.answer(chat.messages, chat);
  await stage.reply(0, settling());
  await stage.rests(chat, 1);
});

test("an answer that was lost is handed in again; the call does not run again", async () => {
  const change_bgm = vi.fn(() => ({ success: true }));
  const tools = clientTools({ change_bgm });
  const chat = stage.page(tools);
  void chat.sendMessage({ text: "music" });
  await stage.reply(0, calling(MUSIC));
  await stage.server.request(1);
  const open = chat.messages.map((message) => structuredClone(message));
  stage.server.socket.terminate();
  await chat.becomes("error");
  tools.answer(chat.messages, chat);
  const [part] = lastStepTools(open);
  Object.assign(part ?? {}, { state: "input-available", output: undefined });
  chat.messages = open;
  for (const _ of [1, 2]) tools.answer(chat.messages, chat);
  expect(posted(await stage.reply(2, settling()))).toMatchObject([{ output: { success: true } }]);
  await stage.rests(chat, 3);
  expect(change_bgm).toHaveBeenCalledTimes(1);
});

test("a page that has not yet shown the answer does not hand it in again", async () => {
  const tools = clientTools({ change_bgm: () => 1 });
  const chat = { addToolOutput: vi.fn(), addToolApprovalResponse: vi.fn() };
  const { toolCallId, input } = MUSIC;
  const part = { type: "tool-change_bgm", toolCallId, input, state: "input-available" } as const;
  const stale: UIMessage[] = [{ id: "m1", role: "assistant", parts: [part] }];
  tools.answer(stale, chat);
  await vi.waitFor(() => expect(tools.isRunning("k1")).toBe(false));
  tools.answer(stale, chat);
  await new Promise((resolve) => setImmediate(resolve));
  expect(chat.addToolOutput).toHaveBeenCalledTimes(1);
});

test("calls that the model provider runs are none of the page's", async () => {
  const change_bgm = vi.fn();
  const chat = stage.page(clientTools({ change_bgm }));
  void chat.sendMessage({ text: "music" });
  const call = { ...input(MUSIC), providerExecuted: true };
  await stage.reply(0, [{ type: "start", messageId: "m1" }, { type: "start-step" }, call]);
  await stage.rests(chat, 1);
  expect(change_bgm).not.toHaveBeenCalled();
});
