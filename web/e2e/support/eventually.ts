const PATIENCE_MS = 30_000;

/** Asks until the answer is yes. It gives up in bounded time and says what it waited for. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const giveUp = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > giveUp) throw new Error(`it did not come to be: ${what}`);
    await new Promise((over) => setTimeout(over, 50));
  }
}
