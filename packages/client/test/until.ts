import { vi } from "vitest";

/** Waits for something to be there, for a minute at most. */
export function until<T>(find: () => T | undefined | false, what: string): Promise<T> {
  return vi.waitFor(
    () => {
      const found = find();
      if (found === undefined || found === false) throw new Error(`still no ${what}`);
      return found;
    },
    { timeout: 60_000, interval: 2 },
  );
}
