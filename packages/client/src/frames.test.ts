import * as ai7 from "ai7";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { saying } from "../test/chunks.js";
import { FrameServer } from "../test/frame-server.js";
import { isTurn, parseFrame, readChunk, readFrame } from "./frames.js";

let server: FrameServer;

beforeEach(async () => {
  server = await FrameServer.start();
});

afterEach(() => server.stop());

test("the SDK's own transport is not disturbed by our frame", async () => {
  const webSocket = WebSocket as never;
  const transport = new ai7.WebSocketChatTransport({ url: server.url, webSocket });
  const sent = transport.sendMessages({
    trigger: "submit-message",
    chatId: "chat",
    messageId: undefined,
    messages: [],
    abortSignal: undefined,
  });
  const { requestId } = await server.request(0);
  server.say({ type: "turn", requestId: "server", id: "chat" });
  server.reply(requestId, saying("hello"));
  const chunks: unknown[] = [];
  for await (const chunk of await sent) chunks.push(chunk);
  expect(chunks).toEqual(saying("hello"));
  transport.close();
});

test.each([
  ["{}"],
  ['{"type":"end"}'],
  ['{"type":"end","requestId":1}'],
  ['["end"]'],
  ["null"],
  ["data: [DONE]"],
])("%s is no frame", (text) => {
  expect(() => parseFrame(text)).toThrow();
});

test("a frame is read as what its type promises, and no more", () => {
  const read = (fields: object) =>
    readFrame(parseFrame(JSON.stringify({ requestId: "r", ...fields })));
  expect(read({ type: "end", more: 1 })).toEqual({ type: "end", requestId: "r" });
  expect(read({ type: "error" })).toEqual({ type: "error", requestId: "r" });
  expect(read({ type: "error", errorText: "no" })).toMatchObject({ errorText: "no" });
  expect(read({ type: "chunk", sequence: 3, chunk: 1 })).toMatchObject({ sequence: 3, chunk: 1 });
  expect(() => read({ type: "chunk", sequence: -1 })).toThrow("sequence");
  expect(() => read({ type: "novelty" })).toThrow("novelty");
});

test("only the server starts turns, and it names the chat", () => {
  expect(isTurn({ type: "turn", requestId: "server", id: "chat" })).toBe(true);
  expect(isTurn({ type: "turn", requestId: "other", id: "chat" })).toBe(false);
  expect(isTurn({ type: "turn", requestId: "server" })).toBe(false);
});

test("a chunk is what the installed SDK takes for one", async () => {
  await expect(readChunk({ type: "start", messageId: "m1" })).resolves.toEqual({
    type: "start",
    messageId: "m1",
  });
  await expect(readChunk({ type: "start", messageId: null })).rejects.toThrow("does not know");
});
