// @vitest-environment jsdom
/** A whole page: the real `useChat` of both majors in StrictMode, over jsdom's own WebSocket. */
import { useChat } from "@ai-sdk/react";
import {
  act,
  cleanup,
  configure,
  fireEvent,
  render,
  screen,
  waitFor,
} from "@testing-library/react";
import { isToolUIPart } from "ai";
import { StrictMode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CallLike } from "../../test/chunks.js";
import { calling, saying, settling } from "../../test/chunks.js";
import { FrameServer } from "../../test/frame-server.js";
import { until } from "../../test/until.js";
import type { ClientTools } from "../client-tools.js";
import { clientTools } from "../client-tools.js";
import { WebSocketChatTransport } from "../websocket-chat-transport.js";
import { ApprovalCard } from "./approval-card.js";
import { useClientTools } from "./use-client-tools.js";

const MUSIC: CallLike = { toolCallId: "k1", toolName: "change_bgm", input: { track: 2 } };
const LOCATION: CallLike = { toolCallId: "l1", toolName: "get_location", approvalId: "a1" };

configure({ asyncUtilTimeout: 10_000 });

let server: FrameServer;
let transport: WebSocketChatTransport;

beforeEach(async () => {
  server = await FrameServer.start();
  transport = new WebSocketChatTransport({ url: server.url });
});

afterEach(async () => {
  cleanup();
  transport.close();
  await server.stop();
  expect(server.faults).toEqual([]);
});

function Page({ tools, resume = false }: { tools: ClientTools; resume?: boolean }) {
  const chat = useChat({
    id: "chat",
    transport,
    resume,
    sendAutomaticallyWhen: tools.shouldContinue,
  });
  useClientTools(tools, chat);
  return (
    <main data-status={chat.status}>
      <button type="button" onClick={() => void chat.sendMessage({ text: "go" })}>
        Send
      </button>
      {chat.messages.map((message) =>
        message.parts.map((part, index) => {
          const key = `${message.id}-${index}`;
          if (part.type === "text") return <p key={key}>{part.text}</p>;
          if (!isToolUIPart(part) || !part.approval) return null;
          return <ApprovalCard key={key} part={part} message={message} tools={tools} {...chat} />;
        }),
      )}
    </main>
  );
}

const show = (tools: ClientTools, resume = false) =>
  render(
    <StrictMode>
      <Page tools={tools} resume={resume} />
    </StrictMode>,
  );

async function reply(index: number, chunks: ReturnType<typeof saying>) {
  const request = await server.request(index);
  await act(async () => server.reply(request.requestId, chunks));
  return request;
}

const status = () => screen.getByRole("main").dataset.status;
const text = (words: string) => waitFor(() => screen.getByText(words));

test("a call of the browser runs once and is posted once", async () => {
  const change_bgm = vi.fn(() => ({ success: true }));
  show(clientTools({ change_bgm }));
  fireEvent.click(screen.getByRole("button", { name: "Send" }));
  await reply(0, calling(MUSIC));
  await reply(1, settling());
  await text("so be it");
  await waitFor(() => expect(status()).toBe("ready"));
  await server.barrier();
  expect(change_bgm.mock.calls.length).toBe(1);
  expect(server.types).toEqual(["send", "send"]);
});

test("a gated call runs on the click, however often it is clicked", async () => {
  const run = vi.fn(async () => ({ latitude: 1 }));
  show(clientTools({ get_location: { run, approval: true } }));
  fireEvent.click(screen.getByRole("button", { name: "Send" }));
  await reply(0, calling(LOCATION));
  const yes = await waitFor(() => screen.getByRole("button", { name: "Approve" }));
  expect(run).not.toHaveBeenCalled();
  fireEvent.click(yes);
  fireEvent.click(yes);
  const request = await reply(1, settling());
  expect(request).toHaveProperty("messages.1.parts.1", {
    type: "tool-get_location",
    toolCallId: "l1",
    input: {},
    state: "output-available",
    output: { latitude: 1 },
    approval: { id: "a1", approved: true },
  });
  await text("so be it");
  await waitFor(() => expect(status()).toBe("ready"));
  await server.barrier();
  expect([run.mock.calls.length, server.types]).toEqual([1, ["send", "send"]]);
});

test("a call that a reload replays does not run while its output may still come", async () => {
  const change_bgm = vi.fn();
  show(clientTools({ change_bgm }), true);
  await until(() => server.frames.length > 0, "resume");
  await server.barrier();
  const { requestId } = await server.request(server.frames.length - 1);
  const spoken = [...saying("music!").slice(0, -1), ...calling(MUSIC).slice(1, -2)];
  await act(async () => server.chunks(requestId, spoken));
  await text("music!");
  const output = { type: "tool-output-available", toolCallId: "k1", output: 1 };
  await act(async () => server.reply(requestId, settling(output).slice(1)));
  await text("so be it");
  await waitFor(() => expect(status()).toBe("ready"));
  expect(change_bgm).not.toHaveBeenCalled();
});

test("a page that resumes in StrictMode does not cancel the turn it comes back to", async () => {
  show(clientTools({}), true);
  await until(() => server.frames.length > 0, "resume");
  await server.barrier();
  const last = server.frames.length - 1;
  await reply(last, saying("still here"));
  await text("still here");
  await server.barrier();
  expect(server.types.filter((type) => type !== "resume")).toEqual([]);
});
