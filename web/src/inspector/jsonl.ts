/** A recording as a file: one entry per line. */
import { asObject, type Entry } from "./recording";

export const toJsonl = (entries: readonly Entry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

export class NotARecording extends Error {
  constructor(readonly line: number) {
    super(`line ${line} is not an entry`);
  }
}

export function fromJsonl(text: string): Entry[] {
  return text
    .split("\n")
    .map((line, index) => [line, index + 1] as const)
    .filter(([line]) => line.trim() !== "")
    .map(([line, number]) => entryOf(line, number));
}

function entryOf(line: string, number: number): Entry {
  try {
    const entry = asObject(JSON.parse(line));
    if (isEntry(entry)) return entry as Entry;
  } catch {
    // Said below, with the number of the line.
  }
  throw new NotARecording(number);
}

const isEntry = ({ seq, time, direction, via, kind, channel }: Record<string, unknown>): boolean =>
  typeof seq === "number" &&
  typeof time === "number" &&
  (direction === "up" || direction === "down") &&
  (via === "http" || via === "websocket") &&
  typeof kind === "string" &&
  typeof channel === "string";

/** Hands a text to the browser as a file to keep. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
