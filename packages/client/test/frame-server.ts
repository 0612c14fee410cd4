/** A server of frames that does what a test tells it, and writes down what it is told. */
import type { AddressInfo } from "node:net";
import type { UIMessage } from "ai";
import { safeValidateWebSocketChatTransportRequest } from "ai7";
import { WebSocket, WebSocketServer } from "ws";
import type { ClientFrame, ServerFrame, TurnFrame } from "../src/frames.js";
import { until } from "./until.js";

type Told = ClientFrame<UIMessage>;
type Requested = Exclude<Told, { type: "abort" }>;
export type ChunkLike = { type: string; [field: string]: unknown };

export class FrameServer {
  readonly frames: Told[] = [];
  /** Frames that `ai` 7's own validator refuses. */
  readonly faults: string[] = [];
  readonly sockets: WebSocket[] = [];
  readonly addresses: string[] = [];
  readonly #sequences = new Map<string, number>();
  #reading: Promise<void> = Promise.resolve();

  private constructor(
    readonly server: WebSocketServer,
    readonly port: number,
  ) {
    server.on("connection", (socket, request) => {
      this.sockets.push(socket);
      this.addresses.push(request.url ?? "");
      socket.on("message", (data) => this.#note(String(data)));
    });
  }

  static async start(port = 0): Promise<FrameServer> {
    const server = new WebSocketServer({ host: "127.0.0.1", port });
    await new Promise((resolve) => server.once("listening", resolve));
    return new FrameServer(server, (server.address() as AddressInfo).port);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/live`;
  }

  get socket(): WebSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("nobody is connected");
    return socket;
  }

  get types(): string[] {
    return this.frames.map(({ type }) => type);
  }

  /** The frame of that number, counted from 0. */
  frame(index: number): Promise<Told> {
    return until(() => this.frames[index], `frame ${index}`);
  }

  async request(index: number): Promise<Requested> {
    const frame = await this.frame(index);
    if (frame.type === "abort") throw new Error("an abort, not a request");
    return frame;
  }

  say(frame: ServerFrame | TurnFrame | ChunkLike): void {
    this.socket.send(JSON.stringify(frame));
  }

  chunks(requestId: string, chunks: ChunkLike[]): void {
    for (const chunk of chunks) {
      const sequence = this.#sequences.get(requestId) ?? 0;
      this.#sequences.set(requestId, sequence + 1);
      this.say({ type: "chunk", requestId, sequence, chunk });
    }
  }

  /** A whole answer. */
  reply(requestId: string, chunks: ChunkLike[]): void {
    this.chunks(requestId, chunks);
    this.say({ type: "end", requestId });
  }

  /** All that clients have sent by now has been read. */
  async barrier(): Promise<void> {
    for (const socket of this.sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)) {
      const pong = new Promise((resolve) => socket.once("pong", resolve));
      socket.ping();
      await pong;
    }
    await this.#reading;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #note(text: string): void {
    this.#reading = this.#reading.then(async () => {
      const frame = JSON.parse(text);
      const verdict = await safeValidateWebSocketChatTransportRequest({ value: frame });
      if (!verdict.success) this.faults.push(`${verdict.error.message} ${text}`);
      this.frames.push(frame);
    });
  }
}
