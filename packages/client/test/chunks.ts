/** Turns as the server sends them. */
import type { ChunkLike } from "./frame-server.js";

const start = (messageId: string) => ({ type: "start", messageId });
const step = (...chunks: ChunkLike[]) => [
  { type: "start-step" },
  ...chunks,
  { type: "finish-step" },
];
const finish = (finishReason = "stop") => ({ type: "finish", finishReason });

export const text = (words: string): ChunkLike[] => [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: words },
  { type: "text-end", id: "t" },
];

export const saying = (words: string, messageId = "m1"): ChunkLike[] => [
  start(messageId),
  ...step(...text(words)),
  finish(),
];

export interface CallLike {
  toolCallId: string;
  toolName: string;
  input?: unknown;
  approvalId?: string;
}

export const input = ({ toolCallId, toolName, input = {} }: CallLike): ChunkLike => ({
  type: "tool-input-available",
  toolCallId,
  toolName,
  input,
});

const asked = ({ toolCallId, approvalId }: CallLike): ChunkLike[] =>
  approvalId ? [{ type: "tool-approval-request", approvalId, toolCallId }] : [];

/** A turn that waits for the browser. */
export const calling = (...calls: CallLike[]): ChunkLike[] => [
  start("m1"),
  ...step(...calls.map(input), ...calls.flatMap(asked)),
  finish("tool-calls"),
];

/** The answer to answers: how the calls ended, and a sentence. */
export const settling = (...ends: ChunkLike[]): ChunkLike[] => [
  start("m1"),
  ...ends,
  ...step(...text("so be it")),
  finish(),
];

/** The go signal for an approved call of the browser. */
export const going = (call: CallLike): ChunkLike[] => [
  start("m1"),
  input(call),
  finish("tool-calls"),
];
