/** A page with browser tools before a server of frames: what it runs, and what it posts. */
import type { UIMessage } from "ai";
import { expect } from "vitest";
import type { ClientTools } from "../src/client-tools.js";
import type { ToolPart } from "../src/tool-parts.js";
import { lastStepTools } from "../src/tool-parts.js";
import { TestChat } from "./chat.js";
import type { CallLike } from "./chunks.js";
import type { ChunkLike } from "./frame-server.js";
import { setStage } from "./transport.js";

export const MUSIC: CallLike = { toolCallId: "k1", toolName: "change_bgm", input: { track: 2 } };
export const LOCATION: CallLike = { toolCallId: "l1", toolName: "get_location", approvalId: "a1" };
export const PAYMENT: CallLike = {
  toolCallId: "p1",
  toolName: "process_payment",
  approvalId: "a2",
};
export const HERE = { latitude: 35.68, longitude: 139.77 };

export function setToolStage() {
  const stage = setStage();
  return Object.assign(stage, {
    page(tools: ClientTools, predicate = tools.shouldContinue, transport = stage.open()) {
      const chat: TestChat = new TestChat({
        transport,
        sendAutomaticallyWhen: predicate,
        onFinish: ({ messages }) => tools.answer(messages, chat),
      });
      return chat;
    },

    /** The server's answer to the request of that number. */
    async reply(index: number, chunks: ChunkLike[]) {
      const request = await stage.server.request(index);
      stage.server.reply(request.requestId, chunks);
      return request;
    },

    /** Nothing is under way any more, and exactly so many requests were made. */
    async rests(chat: TestChat, requests: number) {
      await chat.becomes("ready");
      for (const _ of [1, 2, 3]) await stage.server.barrier();
      expect([chat.status, stage.server.types]).toEqual(["ready", Array(requests).fill("send")]);
    },
  });
}

/** The answers in a request. */
export function posted(frame: object): object[] {
  const { messages } = frame as { messages: UIMessage[] };
  return lastStepTools(messages).map(({ toolCallId, state, ...rest }) => {
    const { output, errorText, approval } = rest as Record<string, unknown>;
    return JSON.parse(JSON.stringify({ toolCallId, state, output, errorText, approval }));
  });
}

export const output = (toolCallId: string, value: unknown): ChunkLike => ({
  type: "tool-output-available",
  toolCallId,
  output: value,
});

export function partOf(chat: TestChat, toolCallId: string): ToolPart {
  const found = lastStepTools(chat.messages).find((part) => part.toolCallId === toolCallId);
  if (!found) throw new Error(`no call ${toolCallId}`);
  return found;
}
