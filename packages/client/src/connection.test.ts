/** The connection alone, with sockets in the test's hand: what only an unlucky moment shows. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeWebSocket } from "../test/fake-web-socket.js";
import type { ConnectionOptions, ConnectionState } from "./connection.js";
import { backoff, Connection } from "./connection.js";

const states: ConnectionState[] = [];
const errors: string[] = [];
const texts: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const log of [states, errors, texts, FakeWebSocket.made]) log.length = 0;
});

function connect(options: Partial<ConnectionOptions> = {}): Connection {
  return new Connection({
    target: async () => ({ url: new URL("ws://127.0.0.1"), webSocket: FakeWebSocket }),
    reconnect: { initialDelay: 100, maxDelay: 1000 },
    onText: async (text) => void texts.push(text),
    onDown: (error) => void errors.push(error.message),
    onState: (state) => void states.push(state),
    ...options,
  });
}

const settle = () => vi.advanceTimersByTimeAsync(0);

async function socket(number: number): Promise<FakeWebSocket> {
  await settle();
  const made = FakeWebSocket.made[number];
  if (!made) throw new Error(`there are ${FakeWebSocket.made.length} sockets`);
  return made;
}

async function opened(connection: Connection, number = 0): Promise<FakeWebSocket> {
  const opening = connection.open();
  const fake = await socket(number);
  fake.opens();
  await opening;
  return fake;
}

test("everybody waits for the same socket", async () => {
  const connection = connect();
  const waiting = [connection.open(), connection.open()];
  (await socket(0)).opens();
  await Promise.all(waiting);
  await connection.open();
  expect([FakeWebSocket.made.length, states]).toEqual([1, ["connecting", "open"]]);
});

test("a socket that is closing is given up, and its end does not touch the new one", async () => {
  const connection = connect();
  const old = await opened(connection);
  old.readyState = 2;
  await opened(connection, 1);
  expect(errors).toEqual(["The network connection is closing."]);
  old.says("late");
  old.ends();
  await settle();
  connection.send("still there");
  expect([errors.length, FakeWebSocket.made[1]?.sent]).toEqual([1, ["still there"]]);
  expect(states).toEqual(["connecting", "open", "lost", "open"]);
});

test("to open and say nothing is no success: attempts come later and later", async () => {
  const connection = connect();
  (await opened(connection)).ends();
  for (const [number, delay] of [100, 200, 400].entries()) {
    await vi.advanceTimersByTimeAsync(delay - 1);
    expect(FakeWebSocket.made.length).toBe(number + 1);
    await vi.advanceTimersByTimeAsync(1);
    const next = await socket(number + 1);
    next.opens();
    await settle();
    next.ends();
    await settle();
  }
});

test("a word of the server makes the next attempt early again", async () => {
  const connection = connect();
  (await opened(connection)).ends();
  await vi.advanceTimersByTimeAsync(100);
  const second = await socket(1);
  second.opens();
  second.says("hello");
  await settle();
  second.ends();
  await settle();
  await vi.advanceTimersByTimeAsync(100);
  expect([FakeWebSocket.made.length, texts]).toEqual([3, ["hello"]]);
});

test("a socket that ends while it opens is no open socket", async () => {
  const connection = connect();
  const opening = connection.open();
  const fake = await socket(0);
  fake.opens();
  fake.ends(1006);
  await expect(opening).rejects.toThrow("network");
  expect([states, errors.length]).toEqual([["connecting", "closed"], 1]);
});

test("closed before the address is known: no socket is made", async () => {
  let tell: (target: Awaited<ReturnType<ConnectionOptions["target"]>>) => void = () => {};
  const connection = connect({ target: () => new Promise((resolve) => (tell = resolve)) });
  const opening = connection.open();
  connection.close("enough");
  tell({ url: new URL("ws://127.0.0.1"), webSocket: FakeWebSocket });
  await expect(opening).rejects.toThrow("closed");
  expect([FakeWebSocket.made, errors, states]).toEqual([[], [], ["connecting", "closed"]]);
});

test("closed while it opens, and wanted again: the first socket does not count", async () => {
  const connection = connect();
  const first = connection.open();
  const old = await socket(0);
  connection.close("enough");
  const again = connection.open();
  await expect(first).rejects.toThrow("closed");
  (await socket(1)).opens();
  await again;
  old.ends();
  await settle();
  expect(old.closes).toEqual([[1000, "enough"]]);
  expect([states, errors]).toEqual([["connecting", "closed", "connecting", "open"], []]);
});

test("what cannot be sent is an error of the network", () => {
  expect(() => connect().send("hi")).toThrow(new TypeError("The network connection is not open."));
});

test("attempts come later and later, up to a limit, and not all at once", () => {
  const options = { initialDelay: 100, maxDelay: 1000 };
  expect([0, 1, 2, 3, 4, 9].map((attempt) => backoff(attempt, options, 1))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
  expect(backoff(3, options, 0)).toBe(400);
});
