/** A server of frames and transports to it, for each test anew. */
import { afterEach, beforeEach, expect, vi } from "vitest";
import { WebSocket } from "ws";
import type { WebSocketChatTransportOptions } from "../src/websocket-chat-transport.js";
import { WebSocketChatTransport } from "../src/websocket-chat-transport.js";
import { FrameServer } from "./frame-server.js";

export interface Stage {
  server: FrameServer;
  transports: WebSocketChatTransport[];
  open(options?: Partial<WebSocketChatTransportOptions>): WebSocketChatTransport;
}

export function setStage(): Stage {
  const stage = { transports: [] as WebSocketChatTransport[] } as Stage;
  stage.open = (options = {}) => {
    const transport = new WebSocketChatTransport({
      url: stage.server.url,
      webSocket: WebSocket,
      reconnect: { initialDelay: 1, maxDelay: 20 },
      ...options,
    });
    stage.transports.push(transport);
    return transport;
  };
  beforeEach(async () => {
    stage.server = await FrameServer.start();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const transport of stage.transports.splice(0)) transport.close();
    await stage.server.stop();
    expect(stage.server.faults).toEqual([]);
  });
  return stage;
}
