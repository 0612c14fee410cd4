/** The turns in a recording: what the page sent, and the chunks that came back for it. Pure. */
import type { UIMessageChunk } from "ai";
import type { ChatMessage } from "../chat/types";
import { asObject, type Entry } from "./recording";

export type TimedChunk = { time: number; chunk: UIMessageChunk };

export type RecordedTurn = {
  time: number;
  messages: ChatMessage[];
  chunks: TimedChunk[];
};

export function turnsOf(entries: readonly Entry[]): RecordedTurn[] {
  const turns = new Map<string, RecordedTurn>();
  for (const entry of entries) {
    const messages = sentMessages(entry);
    if (messages) turns.set(keyOf(entry), { time: entry.time, messages, chunks: [] });
    const chunk = receivedChunk(entry);
    if (chunk) turns.get(keyOf(entry))?.chunks.push({ time: entry.time, chunk });
  }
  return [...turns.values()];
}

/** On a socket many turns share a channel and are told apart by their request. */
const keyOf = ({ channel, data }: Entry): string =>
  `${channel} ${String(asObject(data).requestId ?? "")}`;

function sentMessages({ direction, kind, data }: Entry): ChatMessage[] | undefined {
  if (direction !== "up") return undefined;
  const sent = kind === "request" ? asObject(asObject(data).body) : asObject(data);
  if (kind === "frame" && sent.type !== "send") return undefined;
  return Array.isArray(sent.messages) ? (sent.messages as ChatMessage[]) : undefined;
}

function receivedChunk({ direction, kind, data }: Entry): UIMessageChunk | undefined {
  if (direction !== "down") return undefined;
  if (kind === "chunk") return data as UIMessageChunk;
  const frame = asObject(data);
  return kind === "frame" && frame.type === "chunk" ? (frame.chunk as UIMessageChunk) : undefined;
}
