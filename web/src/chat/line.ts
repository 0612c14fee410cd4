/** The WebSocket as the page hears of it: whether it is up, and when the server begins a turn. */
import type { ConnectionState } from "@adk-stream-protocol/client";

type Listener = { onState: (state: ConnectionState) => void; onTurn: (chatId: string) => void };

export class Line {
  #listeners = new Set<Listener>();

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  state = (state: ConnectionState) => {
    for (const { onState } of this.#listeners) onState(state);
  };

  turn = (chatId: string) => {
    for (const { onTurn } of this.#listeners) onTurn(chatId);
  };
}
