/** The two ways to the server. The page picks one; everything else is the same. */
import { WebSocketChatTransport } from "@adk-stream-protocol/client";
import { type ChatTransport, DefaultChatTransport } from "ai";
import { observeFetch } from "../inspector/observe-fetch";
import { observeSocket } from "../inspector/observe-socket";
import type { Recording } from "../inspector/recording";
import { Line } from "./line";
import { refusing } from "./refusal";
import type { ChatMessage } from "./types";

export const TRANSPORTS = ["sse", "bidi"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

export type Transports = Record<TransportName, ChatTransport<ChatMessage>> & { line: Line };

export function createTransports(recording: Recording): Transports {
  const line = new Line();
  return {
    line,
    sse: new DefaultChatTransport({ api: "/api/chat", fetch: refusing(observeFetch(recording)) }),
    bidi: new WebSocketChatTransport({
      url: "/live",
      webSocket: observeSocket(recording, line.closed),
      onConnectionChange: line.state,
      onServerTurn: line.turn,
      reconnect: { maxDelay: 5000 },
    }),
  };
}
