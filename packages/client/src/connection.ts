/** A socket that is opened when it is needed and, if it is to be kept, comes back by itself. */
import type { SocketEnd, WebSocketConstructor } from "./socket.js";
import { NORMAL, Socket } from "./socket.js";

/** `lost`: it was open and is tried again and again. `closed`: nothing happens until it is needed. */
export type ConnectionState = "connecting" | "open" | "lost" | "closed";

export interface ReconnectOptions {
  /** Milliseconds before the first attempt; they double from attempt to attempt. Default 500. */
  initialDelay?: number;
  /** Most milliseconds between attempts. Default 15 000. */
  maxDelay?: number;
}

export interface Target {
  url: URL;
  protocols?: string | string[];
  webSocket: WebSocketConstructor;
}

export interface ConnectionOptions {
  target(): Promise<Target>;
  /** Left out: only the next request opens a lost connection again. */
  reconnect?: ReconnectOptions;
  onText(text: string): Promise<void>;
  /** The connection is gone, or could not be made. */
  onDown(error: Error): void;
  onState(state: ConnectionState, before: ConnectionState): void;
}

export class Connection {
  readonly #options: ConnectionOptions;
  #state: ConnectionState = "closed";
  #socket: Socket | undefined;
  #opening: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #epoch = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Settles when the socket is open, or could not be opened. */
  open(): Promise<void> {
    if (this.#socket?.isOpen) return Promise.resolve();
    // Its end may take long to arrive, and nothing else will.
    if (this.#socket && !this.#opening) this.#down(networkError("is closing"), true);
    this.#opening ??= this.#open();
    return this.#opening;
  }

  send(text: string): void {
    if (!this.#socket?.isOpen) throw networkError("is not open");
    this.#socket.send(text);
  }

  close(reason: string): void {
    const socket = this.#socket;
    this.#forget();
    this.#become("closed");
    socket?.close({ code: NORMAL, reason });
  }

  async #open(): Promise<void> {
    this.#forget();
    const epoch = this.#epoch;
    if (this.#state === "closed") this.#become("connecting");
    try {
      const target = await this.#options.target();
      if (epoch !== this.#epoch) throw networkError("was closed");
      await this.#handshake(target);
      if (!this.#socket?.isOpen) throw networkError("was closed");
      this.#opening = undefined;
      this.#become("open");
    } catch (error) {
      if (epoch === this.#epoch) this.#down(error as Error, true);
      throw error;
    }
  }

  #handshake({ url, protocols, webSocket }: Target): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new Socket(new webSocket(url, protocols), {
        onOpen: resolve,
        onText: (text) => {
          // To open and say nothing is no success: the next attempt waits longer.
          this.#attempts = 0;
          return this.#options.onText(text);
        },
        onEnd: (end) => {
          const error = end.fault ?? closedError(end);
          reject(error);
          if (socket === this.#socket && !this.#opening) this.#down(error, !isFinal(end));
        },
      });
      this.#socket = socket;
    });
  }

  #down(error: Error, mayRetry: boolean): void {
    const { reconnect, onDown } = this.#options;
    const wasOpen = this.#state === "open" || this.#state === "lost";
    this.#forget();
    if (reconnect && mayRetry && wasOpen) {
      const delay = backoff(this.#attempts++, reconnect);
      this.#retry = setTimeout(() => void this.open().catch(() => {}), delay);
      this.#become("lost");
    } else {
      this.#become("closed");
    }
    onDown(error);
  }

  /** Whatever is under way no longer counts. */
  #forget(): void {
    this.#epoch += 1;
    clearTimeout(this.#retry);
    this.#socket = undefined;
    this.#opening = undefined;
  }

  #become(state: ConnectionState): void {
    const before = this.#state;
    this.#state = state;
    if (state !== before) this.#options.onState(state, before);
  }
}

/** Half of the doubled delay is left to chance, so that pages do not all come back at once. */
export function backoff(
  attempt: number,
  { initialDelay = 500, maxDelay = 15_000 }: ReconnectOptions,
  chance = Math.random(),
): number {
  return Math.min(maxDelay, initialDelay * 2 ** attempt) * (0.5 + chance / 2);
}

/** The server closed on purpose: done, not allowed, or taken over by a newer socket. */
function isFinal({ code }: SocketEnd): boolean {
  return code === NORMAL || code === 1008 || code >= 4000;
}

function closedError({ code, reason }: SocketEnd): Error {
  return networkError(`was closed (code ${code}${reason && `: ${reason}`})`);
}

/** `useChat` takes a TypeError that speaks of the network for a disconnect. */
function networkError(what: string): TypeError {
  return new TypeError(`The network connection ${what}.`);
}
