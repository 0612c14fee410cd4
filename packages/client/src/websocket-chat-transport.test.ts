import { expect, test } from "vitest";
import { TestChat } from "../test/chat.js";
import { saying, text } from "../test/chunks.js";
import { setStage } from "../test/transport.js";
import { until } from "../test/until.js";
import type { ConnectionState } from "./connection.js";

const stage = setStage();

test("a turn is one request, and its text arrives", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const said = chat.sendMessage({ text: "hi" });
  const request = await stage.server.request(0);
  expect(request).toMatchObject({ type: "send", id: "chat", trigger: "submit-message" });
  expect(request).toHaveProperty("messages.0.parts.0.text", "hi");
  stage.server.reply(request.requestId, saying("hello"));
  await said;
  expect([chat.status, chat.text, chat.messages.length]).toEqual(["ready", "hello", 2]);
});

test("turns follow each other on one socket", async () => {
  const chat = new TestChat({ transport: stage.open() });
  for (const turn of [0, 1, 2]) {
    const said = chat.sendMessage({ text: "hi" });
    stage.server.reply((await stage.server.request(turn)).requestId, saying(`${turn}`, `m${turn}`));
    await said;
  }
  expect([chat.text, stage.server.sockets.length]).toEqual(["0|1|2", 1]);
});

test("nothing is opened before it is needed", async () => {
  const transport = stage.open();
  await stage.server.barrier();
  expect(stage.server.sockets).toEqual([]);
  const resumed = transport.reconnectToStream({ chatId: "chat" });
  stage.server.say({ type: "no-active", requestId: (await stage.server.request(0)).requestId });
  expect(await resumed).toBeNull();
});

test("what the application adds is in the frame, and the query in the address", async () => {
  const transport = stage.open({
    url: stage.server.url.replace("ws:", "http:"),
    params: async () => ({ chatId: "a b" }),
    headers: () => new Headers({ Authorization: "Bearer t" }),
    body: { tenant: 1, kept: true },
  });
  const chat = new TestChat({ transport });
  const options = { headers: { "X-Trace": "7" }, body: { tenant: 2 }, metadata: { m: 1 } };
  void chat.sendMessage({ text: "hi" }, options);
  expect(await stage.server.request(0)).toMatchObject({
    headers: { authorization: "Bearer t", "x-trace": "7" },
    body: { tenant: 2, kept: true },
    metadata: { m: 1 },
  });
  expect(stage.server.addresses).toEqual(["/live?chatId=a+b"]);
});

test("two chats share a socket and do not mix", async () => {
  const transport = stage.open();
  const chats = ["one", "two"].map((id) => new TestChat({ id, transport }));
  const said = chats.map((chat) => chat.sendMessage({ text: "hi" }));
  const requests = [await stage.server.request(0), await stage.server.request(1)];
  const replies = requests.map(({ id }) => saying(`for ${id}`, `m-${id}`));
  for (const index of saying("").keys())
    for (const [which, { requestId }] of requests.entries())
      stage.server.chunks(requestId, replies[which]?.slice(index, index + 1) ?? []);
  stage.server.say({ type: "end", requestId: requests[0]?.requestId ?? "" });
  await said[requests[0]?.id === "one" ? 0 : 1];
  stage.server.say({ type: "end", requestId: requests[1]?.requestId ?? "" });
  await Promise.all(said);
  expect(chats.map((chat) => chat.text)).toEqual(["for one", "for two"]);
  expect(stage.server.sockets.length).toBe(1);
});

test("stop tells the server, keeps what has come, and leaves the socket usable", async () => {
  const chat = new TestChat({ transport: stage.open() });
  void chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  stage.server.chunks(requestId, [
    { type: "start", messageId: "m1" },
    ...text("so far").slice(0, 2),
  ]);
  await until(() => chat.text === "so far", "text");
  await chat.stop();
  expect(await stage.server.frame(1)).toEqual({ type: "abort", requestId });
  stage.server.chunks(requestId, [{ type: "text-delta", id: "t", delta: " and on" }]);
  const said = chat.sendMessage({ text: "again" });
  stage.server.reply((await stage.server.request(2)).requestId, saying("yes", "m2"));
  await said;
  expect([chat.status, chat.text]).toEqual(["ready", "so far|yes"]);
  expect([stage.server.types, stage.server.sockets.length]).toEqual([["send", "abort", "send"], 1]);
});

test("a request that is stopped before the socket is open is never sent", async () => {
  const transport = stage.open();
  const stop = new AbortController();
  const resumed = transport.reconnectToStream({ chatId: "chat", abortSignal: stop.signal });
  stop.abort();
  await expect(resumed).rejects.toMatchObject({ name: "AbortError" });
  await expect(
    transport.reconnectToStream({ chatId: "chat", abortSignal: stop.signal }),
  ).rejects.toMatchObject({ name: "AbortError" });
  await until(() => stage.server.sockets.length === 1, "socket");
  await stage.server.barrier();
  expect(stage.server.frames).toEqual([]);
});

test("a request that is stopped before its headers are known is never sent", async () => {
  let tell: (headers: Record<string, string>) => void = () => {};
  const transport = stage.open({ headers: () => new Promise((resolve) => (tell = resolve)) });
  const first = transport.reconnectToStream({ chatId: "chat" });
  await until(() => stage.server.sockets.length === 1, "socket");
  tell({});
  stage.server.say({ type: "no-active", requestId: (await stage.server.request(0)).requestId });
  await first;
  const stop = new AbortController();
  const second = transport.reconnectToStream({ chatId: "chat", abortSignal: stop.signal });
  stop.abort();
  tell({});
  await expect(second).rejects.toMatchObject({ name: "AbortError" });
  await stage.server.barrier();
  expect(stage.server.types).toEqual(["resume"]);
});

test("an error of the server ends its turn and nothing else", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  stage.server.say({ type: "error", requestId, errorText: "too many (429)" });
  await said;
  expect([chat.status, chat.error?.message]).toEqual(["error", "too many (429)"]);
  const again = chat.sendMessage({ text: "hi" });
  stage.server.reply((await stage.server.request(1)).requestId, saying("hello"));
  await again;
  expect([chat.status, stage.server.sockets.length]).toEqual(["ready", 1]);
});

test("an error chunk ends the turn, and the server is told that nobody reads on", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  stage.server.chunks(requestId, [{ type: "error", errorText: "the model is busy" }]);
  await said;
  expect(chat.error?.message).toBe("the model is busy");
  expect(await stage.server.frame(1)).toEqual({ type: "abort", requestId });
});

test("binary frames are text", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  for (const [sequence, chunk] of saying("héllo").entries())
    stage.server.socket.send(
      Buffer.from(JSON.stringify({ type: "chunk", requestId, sequence, chunk })),
    );
  stage.server.say({ type: "end", requestId });
  await said;
  expect(chat.text).toBe("héllo");
});

test("a chunk that comes twice counts once", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  for (const [sequence, chunk] of saying("once").entries())
    for (const _ of [1, 2]) stage.server.say({ type: "chunk", requestId, sequence, chunk });
  stage.server.say({ type: "end", requestId });
  await said;
  expect([chat.status, chat.text]).toEqual(["ready", "once"]);
});

test("frames for requests that nobody waits for are left alone", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  stage.server.say({ type: "novelty", requestId: "unknown" });
  stage.server.say({ type: "chunk", requestId: "unknown", sequence: 7, chunk: {} });
  stage.server.say({ type: "turn", requestId: "server", id: "chat" });
  stage.server.say({ type: "novelty", requestId: "server" });
  stage.server.reply(requestId, saying("hello"));
  await said;
  expect([chat.status, chat.text]).toEqual(["ready", "hello"]);
});

const start = { type: "start", messageId: "m1" };
const FAULTS: Record<string, (requestId: string) => string> = {
  "a missing chunk": (requestId) =>
    JSON.stringify({ type: "chunk", requestId, sequence: 1, chunk: start }),
  "a sequence that is no number": (requestId) =>
    JSON.stringify({ type: "chunk", requestId, sequence: "0", chunk: start }),
  "a chunk that the SDK does not know": (requestId) =>
    JSON.stringify({ type: "chunk", requestId, sequence: 0, chunk: { type: "no-such-chunk" } }),
  "a frame of an unknown type": (requestId) => JSON.stringify({ type: "novelty", requestId }),
  "a frame without a request": () => JSON.stringify({ type: "end" }),
  "event stream text": () => "data: [DONE]\n\n",
};

test.each(Object.entries(FAULTS))("%s ends the socket", async (_, fault) => {
  const states: ConnectionState[] = [];
  const chat = new TestChat({
    transport: stage.open({ onConnectionChange: (state) => states.push(state) }),
  });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  const closed = new Promise((resolve) => stage.server.socket.once("close", resolve));
  stage.server.socket.send(fault(requestId));
  await said;
  expect(chat.status).toBe("error");
  expect(await closed).toBe(4002);
  expect(states).toEqual(["connecting", "open", "closed"]);
});
