/** What happens when the connection goes and comes, as a chat sees it. */
import { beforeEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { TestChat } from "../test/chat.js";
import { saying } from "../test/chunks.js";
import { FrameServer } from "../test/frame-server.js";
import { setStage } from "../test/transport.js";
import { until } from "../test/until.js";
import type { ConnectionState } from "./connection.js";
import type { WebSocketChatTransportOptions } from "./websocket-chat-transport.js";

const stage = setStage();
const states: ConnectionState[] = [];

beforeEach(() => {
  states.length = 0;
});

const onConnectionChange = (state: ConnectionState) => void states.push(state);
const sockets = (count: number) =>
  until(() => stage.server.sockets.length === count, `${count} sockets`);
const state = (last: ConnectionState) => until(() => states.at(-1) === last, `state ${last}`);

/** A chat in the middle of a turn. */
async function halfway(options: Partial<WebSocketChatTransportOptions>) {
  const finishes: boolean[] = [];
  const chat = new TestChat({
    transport: stage.open(options),
    onFinish: ({ isDisconnect }) => void finishes.push(isDisconnect),
  });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  stage.server.chunks(requestId, saying("half a sentence").slice(0, 4));
  await until(() => chat.text === "half a sentence", "text");
  return { chat, said, finishes };
}

test("a lost socket is a disconnect, and what was sent before it is kept", async () => {
  const { chat, said, finishes } = await halfway({});
  stage.server.socket.terminate();
  await said;
  expect([chat.status, chat.text, finishes]).toEqual(["error", "half a sentence", [true]]);
  expect(chat.error).toBeInstanceOf(TypeError);
  expect(chat.error?.message).toContain("network");
});

test("the code and the reason of a close are told", async () => {
  const { chat, said } = await halfway({});
  stage.server.socket.close(1001, "bye");
  await said;
  expect(chat.error?.message).toBe("The network connection was closed (code 1001: bye).");
});

test("what was sent just before the close is read first", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const said = chat.sendMessage({ text: "hi" });
  stage.server.reply((await stage.server.request(0)).requestId, saying("all of it"));
  stage.server.socket.close(1001);
  await said;
  expect([chat.status, chat.text]).toEqual(["ready", "all of it"]);
});

test("a page that watches gets its connection back, and reads the turn from its beginning", async () => {
  const chat: { current?: TestChat } = {};
  const onServerTurn = () => void chat.current?.resumeStream();
  const half = await halfway({ onConnectionChange, onServerTurn });
  chat.current = half.chat;
  stage.server.socket.terminate();
  await half.said;
  const resume = await stage.server.request(1);
  expect(resume).toMatchObject({ type: "resume", id: "chat" });
  stage.server.reply(resume.requestId, saying("half a sentence and the rest"));
  await until(() => half.chat.text === "half a sentence and the rest", "rest");
  await half.chat.becomes("ready");
  expect(half.chat.messages.length).toBe(2);
  expect(states).toEqual(["connecting", "open", "lost", "open"]);
});

test.each([
  ["onConnectionChange", { onConnectionChange }],
  ["onServerTurn", { onServerTurn: () => {} }],
])("%s alone keeps the connection", async (_, options) => {
  const { said } = await halfway(options);
  stage.server.socket.terminate();
  await said;
  await sockets(2);
});

test.each([
  ["nobody watches", {}],
  ["the application does not want it", { onConnectionChange, reconnect: false as const }],
])("a lost connection stays closed if %s, until it is needed", async (_, options) => {
  const { chat, said } = await halfway(options);
  stage.server.socket.terminate();
  await said;
  expect(states.includes("lost")).toBe(false);
  const again = chat.sendMessage({ text: "again" });
  stage.server.reply((await stage.server.request(1)).requestId, saying("hello", "m2"));
  await again;
  expect([chat.status, stage.server.sockets.length]).toEqual(["ready", 2]);
});

test.each([1000, 1008, 4001])("a close with %i is final", async (code) => {
  const { chat, said } = await halfway({ onConnectionChange });
  stage.server.socket.close(code, "another tab took over");
  await said;
  expect(chat.error?.message).toContain("another tab took over");
  expect(states).toEqual(["connecting", "open", "closed"]);
});

test.each([1001, 1011, 1012, 1013])("after a close with %i it comes back", async (code) => {
  const { said } = await halfway({ onConnectionChange });
  stage.server.socket.close(code);
  await said;
  await state("open");
  expect(states).toEqual(["connecting", "open", "lost", "open"]);
});

test("it is tried again and again while the server is away", async () => {
  const { said } = await halfway({ onConnectionChange });
  const { port } = stage.server;
  await stage.server.stop();
  await said;
  await state("lost");
  await expect(stage.transports[0]?.reconnectToStream({ chatId: "chat" })).rejects.toThrow(
    "network",
  );
  stage.server = await FrameServer.start(port);
  await state("open");
  expect(states).toEqual(["connecting", "open", "lost", "open"]);
});

test("a request does not wait for the next attempt", async () => {
  const reconnect = { initialDelay: 60_000, maxDelay: 60_000 };
  const { chat, said } = await halfway({ onConnectionChange, reconnect });
  stage.server.socket.terminate();
  await said;
  await state("lost");
  const again = chat.sendMessage({ text: "again" });
  stage.server.reply((await stage.server.request(1)).requestId, saying("hello", "m2"));
  await again;
  expect([chat.status, states.at(-1)]).toEqual(["ready", "open"]);
});

test("a request made while the socket closes gets a new one; what was open on the old one fails", async () => {
  const made: WebSocket[] = [];
  class Kept extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      made.push(this);
    }
  }
  const { chat, said } = await halfway({ webSocket: Kept });
  const [transport] = stage.transports;
  const other = new TestChat({ id: "other", ...(transport && { transport }) });
  stage.server.socket.pause();
  made[0]?.close();
  const asked = other.sendMessage({ text: "hi" });
  await said;
  expect([chat.status, chat.error?.message]).toEqual([
    "error",
    "The network connection is closing.",
  ]);
  stage.server.reply((await stage.server.request(1)).requestId, saying("hello", "m2"));
  await asked;
  expect([other.status, other.text]).toEqual(["ready", "hello"]);
});

test("a server that was never there is not tried again by itself", async () => {
  const { port, url } = stage.server;
  await stage.server.stop();
  const chat = new TestChat({ transport: stage.open({ url, onConnectionChange }) });
  await chat.sendMessage({ text: "hi" });
  expect([chat.status, chat.error instanceof TypeError]).toEqual(["error", true]);
  expect(states).toEqual(["connecting", "closed"]);
  stage.server = await FrameServer.start(port);
  const again = chat.sendMessage({ text: "again" });
  stage.server.reply((await stage.server.request(0)).requestId, saying("hello"));
  await again;
  expect([chat.status, stage.server.sockets.length]).toEqual(["ready", 1]);
});

test("close ends what is open, for good", async () => {
  const { chat, said, finishes } = await halfway({ onConnectionChange });
  const closed = new Promise((resolve) => stage.server.socket.once("close", resolve));
  stage.transports[0]?.close();
  await said;
  expect([chat.status, finishes, await closed]).toEqual(["error", [false], 1000]);
  expect(states).toEqual(["connecting", "open", "closed"]);
  const again = chat.sendMessage({ text: "again" });
  stage.server.reply((await stage.server.request(1)).requestId, saying("hello", "m2"));
  await again;
  expect(chat.status).toBe("ready");
});

test("close while it opens", async () => {
  const transport = stage.open({ onConnectionChange });
  const resumed = transport.reconnectToStream({ chatId: "chat" });
  transport.close();
  await expect(resumed).rejects.toThrow("closed");
  await stage.server.barrier();
  expect([states, stage.server.frames]).toEqual([["connecting", "closed"], []]);
});

test("close while it is lost ends the attempts", async () => {
  const { said } = await halfway({ onConnectionChange, reconnect: { initialDelay: 60_000 } });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  stage.server.socket.terminate();
  await said;
  expect([states.at(-1), vi.getTimerCount()]).toEqual(["lost", 1]);
  stage.transports[0]?.close();
  expect(vi.getTimerCount()).toBe(0);
});

test("an address that is none fails the request", async () => {
  for (const url of ["ftp://127.0.0.1/live", "/live"]) {
    const transport = stage.open({ url });
    await expect(transport.reconnectToStream({ chatId: "chat" })).rejects.toThrow();
  }
});
