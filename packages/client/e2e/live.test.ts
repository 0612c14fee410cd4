/** This package before the real server: every tool of its demo, over one WebSocket. */
import { randomUUID } from "node:crypto";
import { afterEach, expect, inject, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { ClientTools } from "../src/client-tools.js";
import { clientTools } from "../src/client-tools.js";
import type { ConnectionState } from "../src/connection.js";
import { lastStepTools } from "../src/tool-parts.js";
import { WebSocketChatTransport } from "../src/websocket-chat-transport.js";
import { TestChat } from "../test/chat.js";
import { until } from "../test/until.js";

const origin = inject("origin");
const HERE = { latitude: 35.68, longitude: 139.77, accuracy: 10, timestamp: 1700000000000 };

const transports: WebSocketChatTransport[] = [];

afterEach(() => {
  for (const transport of transports.splice(0)) transport.close();
});

/** A page, and its sockets with what they sent. */
function open(tools: ClientTools = clientTools({})) {
  const sockets: WebSocket[] = [];
  const sent: string[] = [];
  const states: ConnectionState[] = [];
  const received: string[] = [];
  class Recorded extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      sockets.push(this);
      this.on("message", (data) => received.push(String(data)));
    }
    override send(text: string) {
      sent.push(JSON.parse(text).type);
      super.send(text);
    }
  }
  const transport = new WebSocketChatTransport({
    url: `${origin}/live`,
    webSocket: Recorded,
    reconnect: { initialDelay: 1 },
    onConnectionChange: (state) => void states.push(state),
    onServerTurn: () => void chat.resumeStream(),
  });
  transports.push(transport);
  const chat: TestChat = new TestChat({
    id: randomUUID(),
    transport,
    sendAutomaticallyWhen: tools.shouldContinue,
    onFinish: ({ messages }) => tools.answer(messages, chat),
  });
  return { chat, sockets, sent, received, states };
}

/** The turn is over and the calls are in these states. */
async function calls(chat: TestChat, ...states: string[]) {
  const wanted = JSON.stringify(states);
  await until(
    () => chat.status === "ready" && JSON.stringify(chat.calls) === wanted,
    `${wanted} (${chat.status} ${JSON.stringify(chat.calls)} ${chat.error?.message})`,
  );
}

const asked = (chat: TestChat) =>
  lastStepTools(chat.messages).flatMap((part) =>
    part.state === "approval-requested" ? [part] : [],
  );

test("talk", async () => {
  const { chat, sockets, sent } = open();
  await chat.sendMessage({ text: "Hello" });
  await chat.sendMessage({ text: "What is the weather in London?" });
  expect([chat.status, chat.error, chat.calls]).toEqual(["ready", undefined, ["output-available"]]);
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect([sent, sockets.length]).toEqual([["send", "send"], 1]);
});

test.each([
  [true, "output-available"],
  [false, "output-denied"],
])("a payment, approved: %s", async (approved, end) => {
  const { chat, sent } = open();
  await chat.sendMessage({ text: "Send $5 to Hanako" });
  for (const { approval } of asked(chat))
    await chat.addToolApprovalResponse({ id: approval.id, approved });
  await calls(chat, end);
  expect(chat.text).not.toBe("");
  expect(sent).toEqual(["send", "send"]);
});

test("music", async () => {
  const change_bgm = vi.fn(({ track }: { track: number }) => ({ success: true, track }));
  const { chat, sent } = open(clientTools({ change_bgm }));
  await chat.sendMessage({ text: "Change the BGM to track 2" });
  await calls(chat, "output-available");
  expect(change_bgm.mock.calls).toEqual([[{ track: 2 }, expect.anything()]]);
  expect(sent).toEqual(["send", "send"]);
});

test("the location, with its approval", async () => {
  const tools = clientTools({ get_location: { run: () => HERE, approval: true } });
  const { chat, sent } = open(tools);
  await chat.sendMessage({ text: "Where am I?" });
  for (const part of asked(chat)) await tools.approve(part, chat);
  await calls(chat, "output-available");
  expect(chat.text).toContain("35.68");
  expect(sent).toEqual(["send", "send"]);
});

test("the location, after its approval", async () => {
  const run = vi.fn(() => HERE);
  const { chat, sent } = open(clientTools({ get_location: { run, approval: true } }));
  await chat.sendMessage({ text: "Where am I?" });
  for (const { approval } of asked(chat))
    await chat.addToolApprovalResponse({ id: approval.id, approved: true });
  await calls(chat, "output-available");
  expect([run.mock.calls.length, sent]).toEqual([1, ["send", "send", "send"]]);
});

test("a decision from elsewhere starts a turn that the page reads", async () => {
  const { chat, sent } = open();
  await chat.sendMessage({ text: "Send $5 to Hanako" });
  for (const { approval } of asked(chat)) {
    const response = await fetch(`${origin}/api/approvals/${approval.id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ approved: true }),
    });
    expect(response.status).toBe(200);
  }
  await calls(chat, "output-available");
  expect(sent).toEqual(["send", "resume"]);
});

test("a lost connection comes back, and the turn is read from its beginning", async () => {
  const { chat, sockets, received, states } = open();
  const said = chat.sendMessage({ text: "/hang 1\n/say 20" });
  await until(() => received.length > 0, "turn");
  sockets[0]?.terminate();
  await said;
  expect(chat.status).toBe("error");
  await until(() => chat.status === "ready" && chat.text !== "", "rest of the turn");
  expect(states).toEqual(["connecting", "open", "lost", "open"]);
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("stop stops, and the chat goes on", async () => {
  const { chat, sent } = open();
  const said = chat.sendMessage({ text: "/hang 30" });
  await until(() => sent.length === 1, "request");
  await chat.stop();
  await said;
  await chat.sendMessage({ text: "Hello" });
  expect([chat.status, chat.error, sent]).toEqual(["ready", undefined, ["send", "abort", "send"]]);
});
