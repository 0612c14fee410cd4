import { expect, test } from "vitest";
import { FakeWebSocket } from "../test/fake-web-socket.js";
import { Socket } from "./socket.js";

/** A socket that is read slowly, and what became of it. */
function open(onText = async (_: string) => {}) {
  const fake = new FakeWebSocket("ws://127.0.0.1");
  const log: unknown[] = [];
  const ended = new Promise<void>((resolve) => {
    const socket = new Socket(fake, {
      onOpen: () => log.push("open"),
      onText: async (text) => {
        await Promise.resolve();
        await onText(text);
        log.push(text);
      },
      onEnd: (end) => {
        log.push(end);
        resolve();
      },
    });
    log.push(socket.isOpen);
  });
  return { fake, log, ended };
}

test("all that came is read, in order, before the end", async () => {
  const { fake, log, ended } = open();
  fake.opens();
  fake.says("one");
  fake.says(new TextEncoder().encode("twö").buffer);
  fake.ends(1001, "bye");
  await ended;
  expect(log).toEqual([false, "open", "one", "twö", { code: 1001, reason: "bye" }]);
  expect(fake.binaryType).toBe("arraybuffer");
});

test("after a fault nothing more is read, and it ends once", async () => {
  const { fake, log, ended } = open(async (text) => {
    if (text === "bad") throw new Error("what is this?");
  });
  for (const text of ["good", "bad", "good"]) fake.says(text);
  fake.ends();
  await ended;
  await new Promise((resolve) => setImmediate(resolve));
  const end = { code: 4002, reason: "protocol fault", fault: new Error("what is this?") };
  expect(log).toEqual([false, "good", end]);
  expect(fake.closes).toEqual([[4002, "protocol fault"]]);
});

test("what is neither text nor bytes is a fault", async () => {
  const { fake, log, ended } = open();
  fake.says({ not: "text" });
  await ended;
  expect(log.at(-1)).toMatchObject({ code: 4002 });
});
