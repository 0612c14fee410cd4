/** Calls that a person approves first: together with their result, or before it. */
import { expect, test, vi } from "vitest";
import { calling, going, settling } from "../test/chunks.js";
import { FrameServer } from "../test/frame-server.js";
import { asking } from "../test/parts.js";
import * as shown from "../test/tool-page.js";
import { clientTools } from "./client-tools.js";
import { shouldContinue } from "./should-continue.js";

const { HERE, LOCATION, MUSIC, output, PAYMENT, partOf, posted } = shown;
const stage = shown.setToolStage();

test("a gated call does not run before anybody has approved", async () => {
  const run = vi.fn(() => HERE);
  const chat = stage.page(clientTools({ get_location: { run, approval: true } }));
  void chat.sendMessage({ text: "where" });
  await stage.reply(0, calling({ ...LOCATION, approvalId: "" }));
  await stage.rests(chat, 1);
  expect(run).not.toHaveBeenCalled();
});

test("on the click the call runs, and approval and result are posted together, once", async () => {
  const run = vi.fn(async () => HERE);
  const tools = clientTools({ get_location: { run, approval: true } });
  const chat = stage.page(tools);
  void chat.sendMessage({ text: "where" });
  await stage.reply(0, calling(LOCATION));
  await stage.rests(chat, 1);
  const part = partOf(chat, "l1");
  const clicks = [tools.approve(part, chat, "fine"), tools.approve(part, chat, "fine")];
  expect(tools.isRunning("l1")).toBe(true);
  const request = await stage.reply(1, settling(output("l1", HERE)));
  await Promise.all(clicks);
  expect(posted(request)).toEqual([
    {
      toolCallId: "l1",
      state: "output-available",
      output: HERE,
      approval: { id: "a1", approved: true, reason: "fine" },
    },
  ]);
  await stage.rests(chat, 2);
  expect([run.mock.calls.length, tools.isRunning("l1")]).toEqual([1, false]);
});

test("a refusal by the browser goes with the approval", async () => {
  const run = () => Promise.reject(new Error("User denied Geolocation"));
  const tools = clientTools({ get_location: { run, approval: true } });
  const chat = stage.page(tools);
  void chat.sendMessage({ text: "where" });
  await stage.reply(0, calling(LOCATION));
  await stage.rests(chat, 1);
  void tools.approve(partOf(chat, "l1"), chat);
  expect(posted(await stage.reply(1, settling()))).toEqual([
    {
      toolCallId: "l1",
      state: "output-error",
      errorText: "User denied Geolocation",
      approval: { id: "a1", approved: true },
    },
  ]);
  await stage.rests(chat, 2);
});

test("an approval that is posted alone runs the call on the go signal", async () => {
  const run = vi.fn(() => HERE);
  const tools = clientTools({ get_location: { run, approval: true } });
  const chat = stage.page(tools);
  void chat.sendMessage({ text: "where" });
  await stage.reply(0, calling(LOCATION));
  await stage.rests(chat, 1);
  void chat.addToolApprovalResponse({ id: "a1", approved: true });
  expect(posted(await stage.server.request(1))).toMatchObject([{ state: "approval-responded" }]);
  expect(run).not.toHaveBeenCalled();
  await stage.reply(1, going(LOCATION));
  expect(posted(await stage.reply(2, settling(output("l1", HERE))))).toMatchObject([
    { state: "output-available", output: HERE, approval: { id: "a1", approved: true } },
  ]);
  await stage.rests(chat, 3);
  expect(run).toHaveBeenCalledTimes(1);
});

test("a denial is posted at once and nothing runs", async () => {
  const run = vi.fn(() => HERE);
  const chat = stage.page(clientTools({ get_location: { run, approval: true } }));
  void chat.sendMessage({ text: "where" });
  await stage.reply(0, calling(LOCATION));
  await stage.rests(chat, 1);
  void chat.addToolApprovalResponse({ id: "a1", approved: false });
  await stage.reply(1, settling({ type: "tool-output-denied", toolCallId: "l1" }));
  await stage.rests(chat, 2);
  expect(run).not.toHaveBeenCalled();
});

test.each(["location first", "payment first"])(
  "a server's approval and a browser's are posted together, %s",
  async (order) => {
    const tools = clientTools({ get_location: { run: () => HERE, approval: true } });
    const chat = stage.page(tools);
    void chat.sendMessage({ text: "both" });
    await stage.reply(0, calling(LOCATION, PAYMENT));
    await stage.rests(chat, 1);
    const clicks = [
      () => tools.approve(partOf(chat, "l1"), chat),
      () => chat.addToolApprovalResponse({ id: "a2", approved: true }),
    ];
    for (const click of order === "location first" ? clicks : clicks.reverse()) await click();
    const request = await stage.reply(
      1,
      settling(output("l1", HERE), output("p1", { success: true })),
    );
    expect(posted(request)).toMatchObject([
      { toolCallId: "l1", state: "output-available" },
      { toolCallId: "p1", state: "approval-responded" },
    ]);
    await stage.rests(chat, 2);
  },
);

test("a slow call of the browser does not let a server's approval go alone", async () => {
  let resolve: (here: object) => void = () => {};
  const run = () => new Promise((found) => (resolve = found));
  const tools = clientTools({ get_location: { run, approval: true } });
  const chat = stage.page(tools);
  void chat.sendMessage({ text: "both" });
  await stage.reply(0, calling(LOCATION, PAYMENT));
  await stage.rests(chat, 1);
  const click = tools.approve(partOf(chat, "l1"), chat);
  await chat.addToolApprovalResponse({ id: "a2", approved: true });
  await stage.rests(chat, 1);
  resolve(HERE);
  await click;
  await stage.reply(1, settling(output("l1", HERE), output("p1", {})));
  await stage.rests(chat, 2);
});

test("two clicks hand in one answer", async () => {
  const tools = clientTools({ pay: { run: async () => 1, approval: true } });
  const chat = { addToolOutput: vi.fn(), addToolApprovalResponse: vi.fn() };
  await Promise.all([tools.approve(asking(), chat), tools.approve(asking(), chat)]);
  expect(chat.addToolApprovalResponse).toHaveBeenCalledTimes(1);
  expect(chat.addToolOutput).toHaveBeenCalledTimes(1);
});

test("an answer that the chat does not take leaves the call as it is, to be answered again", async () => {
  const tools = clientTools({ pay: { run: async () => 1, approval: true } });
  const addToolApprovalResponse = vi.fn().mockRejectedValueOnce(new Error("not now"));
  const chat = { addToolOutput: vi.fn(), addToolApprovalResponse };
  await expect(tools.approve(asking(), chat)).rejects.toThrow("not now");
  expect(tools.isRunning("c1")).toBe(false);
  await tools.approve(asking(), chat);
  expect(chat.addToolOutput).toHaveBeenCalledTimes(1);
});

test("without the table the SDK's answers are posted once as well", async () => {
  const chat = stage.page(clientTools({}), shouldContinue);
  void chat.sendMessage({ text: "both" });
  await stage.reply(0, calling(MUSIC, PAYMENT));
  await stage.rests(chat, 1);
  await chat.addToolOutput({ tool: "change_bgm", toolCallId: "k1", output: 1 });
  await stage.rests(chat, 1);
  await chat.addToolApprovalResponse({ id: "a2", approved: true });
  await stage.reply(1, settling(output("p1", {})));
  await stage.rests(chat, 2);
});

test("an answer that was given while the connection was gone is posted when it is back", async () => {
  const tools = clientTools({});
  const transport = stage.open({
    reconnect: { initialDelay: 60_000 },
    onServerTurn: async () => {
      await chat.resumeStream();
      if (tools.shouldContinue(chat)) void chat.sendMessage();
    },
  });
  const chat = stage.page(tools, tools.shouldContinue, transport);
  void chat.sendMessage({ text: "pay" });
  await stage.reply(0, calling(PAYMENT));
  await stage.rests(chat, 1);
  const { port } = stage.server;
  await stage.server.stop();
  await chat.addToolApprovalResponse({ id: "a2", approved: true });
  await chat.becomes("error");
  stage.server = await FrameServer.start(port);
  void transport.reconnectToStream({ chatId: "chat" }).catch(() => {});
  for (const resume of [0, 1]) {
    const { requestId, type } = await stage.server.request(resume);
    expect(type).toBe("resume");
    stage.server.say({ type: "no-active", requestId });
  }
  const request = await stage.reply(2, settling(output("p1", {})));
  expect(posted(request)).toMatchObject([{ toolCallId: "p1", state: "approval-responded" }]);
  await chat.becomes("ready");
  expect(stage.server.types).toEqual(["resume", "resume", "send"]);
});
