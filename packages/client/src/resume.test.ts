/** Turns that a page comes back to, and turns that the server starts. */
import { expect, test } from "vitest";
import { TestChat } from "../test/chat.js";
import { saying } from "../test/chunks.js";
import { setStage } from "../test/transport.js";
import { until } from "../test/until.js";

const stage = setStage();

test("a resumed turn replaces what the page had of it", async () => {
  const parts = [{ type: "text" as const, text: "half" }];
  const chat = new TestChat({
    transport: stage.open(),
    messages: [{ id: "m1", role: "assistant", parts }],
  });
  const resumed = chat.resumeStream();
  const request = await stage.server.request(0);
  expect(request).toEqual({
    type: "resume",
    requestId: expect.any(String),
    id: "chat",
    headers: {},
    body: {},
  });
  stage.server.say({ type: "start", requestId: request.requestId });
  stage.server.reply(request.requestId, saying("half and whole"));
  await resumed;
  expect([chat.text, chat.messages.length]).toEqual(["half and whole", 1]);
});

test("with nothing to resume the chat stays as it is", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const resumed = chat.resumeStream();
  stage.server.say({ type: "no-active", requestId: (await stage.server.request(0)).requestId });
  await resumed;
  expect([chat.status, chat.messages]).toEqual(["ready", []]);
});

test("a resume that is refused is an error", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const resumed = chat.resumeStream();
  const { requestId } = await stage.server.request(0);
  stage.server.say({ type: "error", requestId, errorText: "who are you?" });
  await resumed;
  expect([chat.status, chat.error?.message]).toEqual(["error", "who are you?"]);
});

test("to resume twice does not cancel the turn", async () => {
  const chat = new TestChat({ transport: stage.open() });
  const first = chat.resumeStream();
  const { requestId } = await stage.server.request(0);
  stage.server.chunks(requestId, saying("spoken").slice(0, 3));
  const second = chat.resumeStream();
  const again = await stage.server.request(1);
  stage.server.reply(again.requestId, saying("spoken"));
  await Promise.all([first, second]);
  await stage.server.barrier();
  expect([chat.status, chat.text]).toEqual(["ready", "spoken"]);
  expect(stage.server.types).toEqual(["resume", "resume"]);
});

test("to stop a resumed turn cancels it", async () => {
  const chat = new TestChat({ transport: stage.open() });
  void chat.resumeStream();
  const { requestId } = await stage.server.request(0);
  stage.server.chunks(requestId, saying("spoken").slice(0, 4));
  await until(() => chat.text === "spoken", "text");
  await chat.stop();
  expect(await stage.server.frame(1)).toEqual({ type: "abort", requestId });
});

test("a turn of the server is read when the page is told of it", async () => {
  const chat: TestChat = new TestChat({
    transport: stage.open({ onServerTurn: (id) => id === chat.id && void chat.resumeStream() }),
  });
  const resumed = chat.resumeStream();
  stage.server.say({ type: "no-active", requestId: (await stage.server.request(0)).requestId });
  await resumed;
  stage.server.say({ type: "turn", requestId: "server", id: "another" });
  stage.server.say({ type: "turn", requestId: "server", id: "chat" });
  const request = await stage.server.request(1);
  expect(request).toMatchObject({ type: "resume", id: "chat" });
  stage.server.reply(request.requestId, saying("you spoke"));
  await until(() => chat.text === "you spoke" && chat.status === "ready", "text");
  expect([chat.text, stage.server.types]).toEqual(["you spoke", ["resume", "resume"]]);
});

test("an error in the page's callback does not end the connection", async () => {
  const seen: unknown[] = [];
  const note = (error: unknown) => seen.push(error);
  process.once("uncaughtException", note);
  const transport = stage.open({
    onServerTurn: () => {
      throw new Error("of the page");
    },
  });
  const chat = new TestChat({ transport });
  const said = chat.sendMessage({ text: "hi" });
  const { requestId } = await stage.server.request(0);
  stage.server.say({ type: "turn", requestId: "server", id: "chat" });
  stage.server.reply(requestId, saying("hello"));
  await said;
  process.off("uncaughtException", note);
  expect([chat.text, stage.server.sockets.length]).toEqual(["hello", 1]);
  expect(seen).toEqual([new Error("of the page")]);
});
