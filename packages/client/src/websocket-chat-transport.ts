/** `useChat` over one WebSocket, on the frames of `ai` 7's own transport. */
import type { ChatRequestOptions, ChatTransport, UIMessage, UIMessageChunk } from "ai";
import { generateId } from "ai";
import type { ConnectionState, ReconnectOptions, Target } from "./connection.js";
import { Connection } from "./connection.js";
import type { ClientFrame, FrameExtras, RawFrame } from "./frames.js";
import { isTurn, parseFrame, readFrame } from "./frames.js";
import type { RequestKind } from "./open-request.js";
import { OpenRequest } from "./open-request.js";
import type { WebSocketConstructor } from "./socket.js";
import { socketUrl } from "./socket-url.js";

/** A value, or how to get it anew for each request. */
export type Resolvable<T> = T | (() => T | PromiseLike<T>);

export interface WebSocketChatTransportOptions {
  /** `ws:`, `wss:`, `http:`, `https:`, or relative to the page. */
  url: string | URL;
  /** Added to the query. */
  params?: Resolvable<Record<string, string>>;
  protocols?: string | string[];
  /** Application data inside each frame: a browser cannot set headers of the handshake. */
  headers?: Resolvable<Record<string, string> | Headers>;
  body?: Resolvable<Record<string, unknown>>;
  /** Where there is no global `WebSocket`. */
  webSocket?: WebSocketConstructor;
  /**
   * There may be a turn to read in this chat: the server has started one (the user spoke, somebody
   * else decided), or the connection is back. Call `chat.resumeStream()`.
   */
  onServerTurn?: (chatId: string) => void;
  onConnectionChange?: (state: ConnectionState) => void;
  /** A connection that was open comes back by itself if one of the callbacks above is there. */
  reconnect?: ReconnectOptions | false;
}

type SendOptions<M extends UIMessage> = Parameters<ChatTransport<M>["sendMessages"]>[0];
type ResumeOptions = Parameters<ChatTransport<UIMessage>["reconnectToStream"]>[0];

export class WebSocketChatTransport<UI_MESSAGE extends UIMessage = UIMessage>
  implements ChatTransport<UI_MESSAGE>
{
  readonly resumeStreamIsReplay = true;
  readonly #options: WebSocketChatTransportOptions;
  readonly #connection: Connection;
  readonly #requests = new Map<string, OpenRequest>();
  readonly #chats = new Set<string>();

  constructor(options: WebSocketChatTransportOptions) {
    this.#options = options;
    const { reconnect = {}, onServerTurn, onConnectionChange } = options;
    const keep = reconnect !== false && (onServerTurn ?? onConnectionChange) !== undefined;
    this.#connection = new Connection({
      target: () => this.#target(),
      ...(keep && { reconnect }),
      onText: (text) => this.#receive(parseFrame(text)),
      // Those that are not sent yet wait for the next socket.
      onDown: (error) => this.#fail(error, ({ isSent }) => isSent),
      onState: (state, before) => this.#connectionChanged(state, before),
    });
  }

  async sendMessages(options: SendOptions<UI_MESSAGE>): Promise<ReadableStream<UIMessageChunk>> {
    const { chatId, abortSignal, trigger, messageId, messages } = options;
    const request = this.#open("send", chatId, abortSignal);
    await this.#send(request, async () => ({
      type: "send",
      requestId: request.id,
      id: chatId,
      trigger,
      messageId,
      messages,
      ...(await this.#extras(options)),
    }));
    return request.stream;
  }

  async reconnectToStream(options: ResumeOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    const { chatId, abortSignal } = options;
    const request = this.#open("resume", chatId, abortSignal);
    await this.#send(request, async () => ({
      type: "resume",
      requestId: request.id,
      id: chatId,
      ...(await this.#extras(options)),
    }));
    return request.found;
  }

  /** Ends the connection and what is open on it. A later request opens a new one. */
  close(): void {
    this.#fail(new Error("The chat transport was closed."));
    this.#connection.close("the page closed the chat");
  }

  #open(kind: RequestKind, chatId: string, signal: AbortSignal | undefined): OpenRequest {
    signal?.throwIfAborted();
    const request = new OpenRequest(generateId(), chatId, kind, () => this.#abort(request));
    this.#requests.set(request.id, request);
    this.#chats.add(chatId);
    signal?.addEventListener("abort", () => this.#abort(request, signal.reason), { once: true });
    return request;
  }

  async #send(request: OpenRequest, frame: () => Promise<ClientFrame<UI_MESSAGE>>): Promise<void> {
    try {
      const ready = Promise.all([frame(), this.#connection.open()]);
      const [content] = await Promise.race([ready, request.failure]);
      this.#connection.send(JSON.stringify(content));
      request.isSent = true;
    } catch (error) {
      if (this.#requests.delete(request.id)) request.fail(error);
      throw error;
    }
  }

  async #receive(raw: RawFrame): Promise<void> {
    if (isTurn(raw)) this.#announce(raw.id);
    const request = this.#requests.get(raw.requestId);
    if (request && (await request.accept(readFrame(raw)))) this.#requests.delete(request.id);
  }

  #abort(request: OpenRequest, ...reason: [] | [unknown]): void {
    if (!this.#requests.delete(request.id)) return;
    if (reason.length > 0) request.stop(reason[0]);
    else request.drop();
    // A page that resumes twice drops its first stream. That must not cancel the turn both read.
    queueMicrotask(() => {
      if (request.isSent && !this.#isReplaced(request)) this.#sendAbort(request.id);
    });
  }

  #isReplaced({ kind, chatId }: OpenRequest): boolean {
    if (kind !== "resume") return false;
    return [...this.#requests.values()].some(
      (other) => other.kind === "resume" && other.chatId === chatId,
    );
  }

  #sendAbort(requestId: string): void {
    try {
      this.#connection.send(JSON.stringify({ type: "abort", requestId }));
    } catch {
      // The connection is gone, and the request with it.
    }
  }

  #fail(error: Error, concerns = (_: OpenRequest) => true): void {
    for (const request of [...this.#requests.values()].filter(concerns)) {
      this.#requests.delete(request.id);
      request.fail(error);
    }
  }

  #connectionChanged(state: ConnectionState, before: ConnectionState): void {
    const { onConnectionChange } = this.#options;
    if (onConnectionChange) queueMicrotask(() => onConnectionChange(state));
    if (state === "open" && before === "lost") for (const id of this.#chats) this.#announce(id);
  }

  /** Apart from the reader: an error of the application must not end the connection. */
  #announce(chatId: string): void {
    const { onServerTurn } = this.#options;
    if (onServerTurn) queueMicrotask(() => onServerTurn(chatId));
  }

  async #target(): Promise<Target> {
    const { url, params, protocols, webSocket = globalThis.WebSocket } = this.#options;
    return {
      url: socketUrl(url, await resolve(params)),
      webSocket,
      ...(protocols !== undefined && { protocols }),
    };
  }

  async #extras({ headers, body, metadata }: ChatRequestOptions): Promise<FrameExtras> {
    return {
      headers: { ...entries(await resolve(this.#options.headers)), ...entries(headers) },
      body: { ...(await resolve(this.#options.body)), ...body },
      ...(metadata !== undefined && { metadata }),
    };
  }
}

async function resolve<T extends object>(value: Resolvable<T> | undefined): Promise<T | undefined> {
  return typeof value === "function" ? await value() : value;
}

function entries(headers: Record<string, string> | Headers | undefined): Record<string, string> {
  if (headers === undefined) return {};
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}
