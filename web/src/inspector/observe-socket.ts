import { parsed } from "./observe-fetch";
import type { Recording } from "./recording";

/** A WebSocket class that writes down every frame of both directions. */
export function observeSocket(recording: Recording, onClose: (code: number) => void) {
  return class ObservedWebSocket extends WebSocket {
    readonly #channel = recording.channel("websocket");

    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      const path = new URL(this.url).pathname;
      this.addEventListener("open", () => this.#note("up", "open", { path }));
      this.addEventListener("message", (event) => this.#note("down", "frame", read(event.data)));
      this.addEventListener("close", ({ code, reason }) => {
        this.#note("down", "close", { code, reason });
        onClose(code);
      });
    }

    override send(data: string | Blob | BufferSource): void {
      this.#note("up", "frame", read(data));
      super.send(data);
    }

    #note(direction: "up" | "down", kind: "open" | "frame" | "close", data: unknown): void {
      recording.add({ direction, via: "websocket", kind, channel: this.#channel, data });
    }
  };
}

const read = (data: unknown): unknown =>
  typeof data === "string" ? parsed(data) : { binary: true };
