/** A WebSocket whose other side is the test. */
import type { WebSocketLike } from "../src/socket.js";

export class FakeWebSocket implements WebSocketLike {
  static readonly made: FakeWebSocket[] = [];
  binaryType = "blob";
  readyState = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  readonly sent: string[] = [];
  readonly closes: unknown[] = [];

  constructor(readonly url: string | URL) {
    FakeWebSocket.made.push(this);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(...how: unknown[]): void {
    this.readyState = 2;
    this.closes.push(how);
  }

  opens(): void {
    this.readyState = 1;
    this.onopen?.({} as never);
  }

  says(data: unknown): void {
    this.onmessage?.({ data } as never);
  }

  ends(code = 1006, reason = ""): void {
    this.readyState = 3;
    this.onclose?.({ code, reason } as never);
  }
}
