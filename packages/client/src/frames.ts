/** The frames of `ai` 7's own WebSocket transport, and one of ours: `turn`. */
import type { UIMessage, UIMessageChunk } from "ai";
import { uiMessageChunkSchema } from "ai";

/** What the application adds to a request. Browsers cannot set handshake headers. */
export interface FrameExtras {
  headers: Record<string, string>;
  body: Record<string, unknown>;
  metadata?: unknown;
}

export interface SendFrame<UI_MESSAGE extends UIMessage = UIMessage> extends FrameExtras {
  type: "send";
  requestId: string;
  id: string;
  trigger: "submit-message" | "regenerate-message";
  messageId?: string | undefined;
  messages: UI_MESSAGE[];
}

export interface ResumeFrame extends FrameExtras {
  type: "resume";
  requestId: string;
  id: string;
}

export interface AbortFrame {
  type: "abort";
  requestId: string;
}

export type ClientFrame<UI_MESSAGE extends UIMessage = UIMessage> =
  | SendFrame<UI_MESSAGE>
  | ResumeFrame
  | AbortFrame;

export type ServerFrame =
  | { type: "start" | "end" | "no-active"; requestId: string }
  | { type: "chunk"; requestId: string; sequence: number; chunk: unknown }
  | { type: "error"; requestId: string; errorText?: string };

/** Ours: the server has started a turn in this chat. `resume` reads it. */
export interface TurnFrame {
  type: "turn";
  requestId: typeof SERVER;
  id: string;
}

/** Any frame, not yet judged: one for a request that nobody here knows is left alone. */
export interface RawFrame {
  type: string;
  requestId: string;
  [field: string]: unknown;
}

/** The request id of what the server says unasked. The stock client ignores ids it does not know. */
const SERVER = "server";

export function parseFrame(text: string): RawFrame {
  const frame: unknown = JSON.parse(text);
  if (!isRecord(frame) || typeof frame.type !== "string" || typeof frame.requestId !== "string") {
    throw new Error("A frame of the server has no type or no request id.");
  }
  return frame as RawFrame;
}

/** The frame as what its type promises. */
export function readFrame(frame: RawFrame): ServerFrame {
  const { type, requestId, sequence, chunk, errorText } = frame;
  switch (type) {
    case "start":
    case "end":
    case "no-active":
      return { type, requestId };
    case "chunk":
      if (!isSequence(sequence)) throw new Error("A chunk of the server has no sequence.");
      return { type, requestId, sequence, chunk };
    case "error":
      return typeof errorText === "string" ? { type, requestId, errorText } : { type, requestId };
    default:
      throw new Error(`The server sent a frame of the unknown type ${type}.`);
  }
}

export function isTurn(frame: object): frame is TurnFrame {
  const { type, requestId, id } = frame as Partial<TurnFrame>;
  return type === "turn" && requestId === SERVER && typeof id === "string";
}

/** The chunk, if the installed SDK takes it. */
export async function readChunk(value: unknown): Promise<UIMessageChunk> {
  const result = await uiMessageChunkSchema().validate?.(value);
  if (!result?.success) throw new Error("The server sent a chunk that the AI SDK does not know.");
  return result.value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
