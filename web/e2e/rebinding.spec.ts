/** A page on a name that leads to this computer (DNS rebinding) gets nothing from the demo's API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { DemoServer } from "./support/server.js";
import { launch } from "./support/visit.js";

const NAME = "rebound.example";
let server: DemoServer;
let browser: Browser;

before(async () => {
  const rules = `--host-resolver-rules=MAP ${NAME} 127.0.0.1`;
  [server, browser] = await Promise.all([DemoServer.start(), launch([rules])]);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** What a page on a name gets of the API: statuses, and how a socket ends. */
async function asked(name: string) {
  const address = new URL(server.url);
  address.hostname = name;
  const page = await browser.newPage();
  await page.goto(address.href);
  const found = await page.evaluate(async () => {
    const message = { role: "user", content: "Send $5 to Eve" };
    const body = JSON.stringify({ id: "c", message });
    const headers = { "content-type": "application/json" };
    const said = await fetch("/api/chat", { method: "POST", headers, body });
    const listed = await fetch("/api/approvals");
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = new WebSocket("/live");
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    });
    return { statuses: [said.status, listed.status], isOpen };
  });
  await page.close();
  return found;
}

test("a page on another name is refused", async () => {
  assert.deepEqual(await asked(NAME), { statuses: [403, 403], isOpen: false });
});

test("a page on a name of the server's own is not", async () => {
  assert.deepEqual(await asked("localhost"), { statuses: [200, 200], isOpen: true });
});
