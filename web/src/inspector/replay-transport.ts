/** A chat transport that plays recorded turns. It has no connection to anything. */
import type { ChatTransport, UIMessageChunk } from "ai";
import type { ChatMessage } from "../chat/types";
import type { RecordedTurn } from "./turns";

const LONGEST_PAUSE_MS = 1500;

/** Waits as long as it took, within reason. A speed of 0 leaves the pauses out. */
export const pause = (ms: number, speed: number): Promise<void> =>
  speed === 0
    ? Promise.resolve()
    : new Promise((over) => setTimeout(over, Math.min(ms, LONGEST_PAUSE_MS) / speed));

export class ReplayTransport implements ChatTransport<ChatMessage> {
  #next: AsyncGenerator<UIMessageChunk> | undefined;

  /** What the next send plays. */
  load(turn: RecordedTurn, speed: number, signal: AbortSignal): void {
    this.#next = play(turn, speed, signal);
  }

  async sendMessages(): Promise<ReadableStream<UIMessageChunk>> {
    const chunks = this.#next;
    return new ReadableStream({
      async pull(controller) {
        const step = await chunks?.next();
        if (!step || step.done) controller.close();
        else controller.enqueue(step.value);
      },
    });
  }

  async reconnectToStream(): Promise<null> {
    return null;
  }
}

async function* play(
  { time: start, chunks }: RecordedTurn,
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<UIMessageChunk> {
  let before = start;
  for (const { time, chunk } of chunks) {
    await pause(time - before, speed);
    if (signal.aborted) return;
    before = time;
    yield chunk;
  }
}
