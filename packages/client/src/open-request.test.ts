import { expect, test, vi } from "vitest";
import { OpenRequest } from "./open-request.js";

const open = (onCancel = () => {}) => new OpenRequest("r", "chat", "resume", onCancel);
const chunk = (sequence: number) => ({
  type: "chunk" as const,
  requestId: "r",
  sequence,
  chunk: { type: "start-step" },
});
const abort = new DOMException("stopped", "AbortError");

async function all(stream: ReadableStream<unknown>) {
  const chunks: unknown[] = [];
  for await (const one of stream) chunks.push(one);
  return chunks;
}

test("chunks are the stream, and the first one says that there is one", async () => {
  const request = open();
  expect(await request.accept(chunk(0))).toBe(false);
  expect(await request.found).toBe(request.stream);
  expect(await request.accept({ type: "end", requestId: "r" })).toBe(true);
  expect(await all(request.stream)).toEqual([{ type: "start-step" }]);
});

test("a turn without chunks is a turn", async () => {
  const request = open();
  await request.accept({ type: "end", requestId: "r" });
  expect(await all((await request.found) ?? new ReadableStream())).toEqual([]);
});

test("a chunk that is being checked when the user stops is dropped", async () => {
  const request = open();
  const accepted = request.accept(chunk(0));
  request.stop(abort);
  expect(await accepted).toBe(true);
  expect(await all(request.stream)).toEqual([]);
  await expect(request.found).rejects.toBe(abort);
});

test("a chunk that is being checked when the connection goes is dropped", async () => {
  const request = open();
  const accepted = request.accept(chunk(0));
  request.fail(new TypeError("network"));
  expect(await accepted).toBe(true);
  await expect(all(request.stream)).rejects.toThrow("network");
});

test("a reader that goes away is told of", async () => {
  const onCancel = vi.fn();
  const request = open(onCancel);
  await request.stream.cancel();
  expect(onCancel).toHaveBeenCalledTimes(1);
});
