/** Everything that went over the wire, in order. Knows nothing of chat. */
export type Direction = "up" | "down";

export type Entry = {
  seq: number;
  /** Milliseconds since 1970, with fractions. */
  time: number;
  direction: Direction;
  via: "http" | "websocket";
  kind: "request" | "response" | "chunk" | "end" | "open" | "frame" | "close" | "error";
  /** What belongs together: one HTTP request, one socket. */
  channel: string;
  data: unknown;
};

const MOST_ENTRIES = 20_000;

export class Recording {
  #entries: readonly Entry[] = [];
  #fresh: Entry[] = [];
  #seq = 0;
  #channels = 0;
  #scheduled = false;
  #listeners = new Set<() => void>();

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The same array until something is published. */
  entries = (): readonly Entry[] => this.#entries;

  /** Also what is not shown yet. */
  whole = (): readonly Entry[] => {
    if (this.#fresh.length > 0) this.#publish();
    return this.#entries;
  };

  channel(via: Entry["via"]): string {
    this.#channels += 1;
    return `${via === "http" ? "http" : "ws"}-${this.#channels}`;
  }

  add(entry: Omit<Entry, "seq" | "time">): void {
    this.#seq += 1;
    const time = performance.timeOrigin + performance.now();
    this.#fresh.push({ seq: this.#seq, time, ...entry });
    if (this.#scheduled) return;
    // Many chunks come at once; they are shown together.
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.whole();
    }, 60);
  }

  clear(): void {
    this.#fresh = [];
    this.#entries = [];
    this.#tell();
  }

  #publish(): void {
    this.#entries = [...this.#entries, ...this.#fresh].slice(-MOST_ENTRIES);
    this.#fresh = [];
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The short name of an entry in the timeline. */
export function labelOf({ kind, data }: Entry): string {
  const fields = asObject(data);
  if (kind === "request") return `${fields.method} ${fields.path}`;
  if (kind === "response") return `response ${fields.status}`;
  if (kind === "chunk") return String(fields.type ?? "chunk");
  if (kind !== "frame") return kind;
  const chunk = asObject(fields.chunk);
  return fields.type === "chunk" ? String(chunk.type) : `${fields.type} frame`;
}

/** The part of an entry that tells it from its neighbours. */
export function detailOf({ data }: Entry): string {
  const fields = asObject(data);
  const chunk = fields.type === "chunk" ? asObject(fields.chunk) : fields;
  const found = ["delta", "toolName", "errorText", "finishReason", "toolCallId", "messageId", "id"]
    .map((key) => chunk[key])
    .find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? found : "";
}

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
