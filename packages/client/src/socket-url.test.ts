import { afterEach, expect, test, vi } from "vitest";
import { socketUrl } from "./socket-url.js";

afterEach(() => void vi.unstubAllGlobals());

test.each([
  ["/live", "wss://shop.example/live"],
  ["live?x=1", "wss://shop.example/chat/live?x=1"],
  ["http://127.0.0.1:8000/live", "ws://127.0.0.1:8000/live"],
  ["wss://other.example/live#top", "wss://other.example/live"],
])("%s in a page", (address, expected) => {
  vi.stubGlobal("location", { href: "https://shop.example/chat/page?q=1" });
  expect(socketUrl(address).href).toBe(expected);
});

test("the query is added to what is there", () => {
  const url = socketUrl(new URL("ws://127.0.0.1/live?a=1"), { chatId: "x&y", a: "2" });
  expect(url.href).toBe("ws://127.0.0.1/live?a=2&chatId=x%26y");
});

test("what is no address of a WebSocket is refused", () => {
  expect(() => socketUrl("ftp://127.0.0.1/live")).toThrow("ftp:");
  expect(() => socketUrl("/live")).toThrow();
});
