/** The golden turns of the server before this package and the SDK's own reader. */
import { readdirSync, readFileSync } from "node:fs";
import type { UIMessage, UIMessageChunk } from "ai";
import { readUIMessageStream } from "ai";
import { expect, test } from "vitest";
import { readChunk } from "./frames.js";
import { shouldContinue } from "./should-continue.js";

const TURNS = new URL("../../../fixtures/turns/", import.meta.url);
const files = readdirSync(TURNS);

interface Turn {
  asked?: object[];
  chunks: object[];
}

async function read(chunks: object[], message: UIMessage | undefined) {
  const stream = new ReadableStream<UIMessageChunk>({
    async start(controller) {
      for (const chunk of chunks) controller.enqueue(await readChunk(chunk));
      controller.close();
    },
  });
  let last = message;
  for await (const next of readUIMessageStream({ stream, ...(message && { message }) }))
    last = next;
  return last;
}

test("there are golden turns", () => {
  expect(files.length).toBeGreaterThan(30);
});

test.each(files)("%s is read, and no chat goes on by itself after it", async (file) => {
  const turn: Turn = JSON.parse(readFileSync(new URL(file, TURNS), "utf8"));
  let message: UIMessage | undefined;
  for (const reply of [turn.asked ?? [], turn.chunks]) {
    const chunks = reply.filter((chunk) => !("type" in chunk) || chunk.type !== "error");
    message = await read(chunks, message);
  }
  if (message) expect(shouldContinue({ messages: [message] })).toBe(false);
});
