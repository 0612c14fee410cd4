/** One WebSocket, read in order from its opening to its end. It knows nothing of chats. */

/** What this package needs of a WebSocket: the browser's has it, and so has `ws`. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export type WebSocketConstructor = new (
  url: string | URL,
  protocols?: string | string[],
) => WebSocketLike;

export interface SocketEnd {
  code: number;
  reason: string;
  /** What the other side did wrong, if it was closed for that. */
  fault?: Error;
}

export interface SocketHandlers {
  onOpen(): void;
  /** Read one after the other. What is thrown here ends the socket. */
  onText(text: string): Promise<void>;
  /** Once, when everything that came before has been read. */
  onEnd(end: SocketEnd): void;
}

const OPEN = 1;

/** Browsers let a page close with 1000 and from 3000 on only. */
export const NORMAL = 1000;
export const PROTOCOL_FAULT = 4002;

export class Socket {
  readonly #socket: WebSocketLike;
  readonly #handlers: SocketHandlers;
  #reading: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(socket: WebSocketLike, handlers: SocketHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => handlers.onOpen();
    socket.onmessage = ({ data }: { data: unknown }) => this.#read(data);
    // A close event follows, and says all there is to know.
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }: SocketEnd) => {
      this.#reading = this.#reading.then(() => this.#end({ code, reason }));
    };
  }

  get isOpen(): boolean {
    return !this.#ended && this.#socket.readyState === OPEN;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(end: SocketEnd): void {
    this.#socket.close(end.code, end.reason);
    this.#end(end);
  }

  #read(data: unknown): void {
    this.#reading = this.#reading.then(async () => {
      if (this.#ended) return;
      try {
        await this.#handlers.onText(textOf(data));
      } catch (error) {
        const fault = error instanceof Error ? error : new Error(String(error));
        this.close({ code: PROTOCOL_FAULT, reason: "protocol fault", fault });
      }
    });
  }

  #end(end: SocketEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#handlers.onEnd(end);
  }
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer);
}
