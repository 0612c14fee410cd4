/** One request on the socket and the stream that answers it. */
import type { UIMessageChunk } from "ai";
import type { ServerFrame } from "./frames.js";
import { readChunk } from "./frames.js";

export type RequestKind = "send" | "resume";

export class OpenRequest {
  readonly stream: ReadableStream<UIMessageChunk>;
  /** For a resume: the stream, or null if there is nothing to read. */
  readonly found: Promise<ReadableStream<UIMessageChunk> | null>;
  /** Rejects when the request fails or is aborted. */
  readonly failure: Promise<never>;
  isSent = false;

  #controller!: ReadableStreamDefaultController<UIMessageChunk>;
  #find!: (stream: ReadableStream<UIMessageChunk> | null) => void;
  #reject!: (error: unknown) => void;
  #nextSequence = 0;
  #isOver = false;

  constructor(
    readonly id: string,
    readonly chatId: string,
    readonly kind: RequestKind,
    onCancel: () => void,
  ) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: onCancel,
    });
    this.failure = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.failure.catch(() => {});
    this.found = Promise.race([
      this.failure,
      new Promise<ReadableStream<UIMessageChunk> | null>((resolve) => {
        this.#find = resolve;
      }),
    ]);
    this.found.catch(() => {});
  }

  /** True when this was the last frame of the request. */
  async accept(frame: ServerFrame): Promise<boolean> {
    switch (frame.type) {
      case "start":
        this.#find(this.stream);
        break;
      case "chunk":
        await this.#enqueue(frame.sequence, frame.chunk);
        break;
      case "end":
        this.#find(this.stream);
        this.#close();
        break;
      case "no-active":
        this.#find(null);
        this.#close();
        break;
      case "error":
        this.fail(new Error(frame.errorText ?? "The server could not answer."));
        break;
    }
    return this.#isOver;
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#reject(error);
    this.#controller.error(error);
  }

  /** The user stopped it: what has come so far stays. */
  stop(reason: unknown): void {
    this.#reject(reason);
    this.#close();
  }

  /** Its reader went away. */
  drop(): void {
    this.#isOver = true;
    this.#reject(new DOMException("The request was cancelled.", "AbortError"));
  }

  async #enqueue(sequence: number, value: unknown): Promise<void> {
    if (sequence < this.#nextSequence) return;
    if (sequence > this.#nextSequence) throw new Error("A chunk of the server is missing.");
    const chunk = await readChunk(value);
    if (this.#isOver) return;
    this.#nextSequence += 1;
    this.#find(this.stream);
    this.#controller.enqueue(chunk);
  }

  #close(): void {
    this.#isOver = true;
    this.#controller.close();
  }
}
