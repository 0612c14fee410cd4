/** The WebSocket as the page hears of it: whether it is up, and when the server begins a turn. */
import type { ConnectionState } from "@adk-stream-protocol/client";

type Listener = { onState: (state: ConnectionState) => void; onTurn: (chatId: string) => void };

/** The server's code for: this chat was opened on another socket. */
const REPLACED = 4001;

export class Line {
  /** Another window has the chat. Coming back by itself would only take it away from there. */
  isTakenOver = false;
  #listeners = new Set<Listener>();

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  closed = (code: number) => {
    this.isTakenOver = code === REPLACED;
  };

  /** The person wants the chat here. */
  reclaim = () => {
    this.isTakenOver = false;
  };

  state = (state: ConnectionState) => {
    for (const { onState } of this.#listeners) onState(state);
  };

  turn = (chatId: string) => {
    for (const { onTurn } of this.#listeners) onTurn(chatId);
  };
}
