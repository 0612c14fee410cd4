/** A visit to the page in real Chromium. Whatever the page must never do is noted during all of it. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { accessibilityFaults } from "./axe.js";

export const TRANSPORTS = ["sse", "bidi"] as const;
export type Transport = (typeof TRANSPORTS)[number];

export const PHONE = { width: 360, height: 740 };
const SHOTS = fileURLToPath(new URL("../../../artefacts/page/", import.meta.url));
const PATIENCE_MS = 30_000;

export const launch = (args: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Containers give no namespaces to its sandbox; the page is our own.
    args: ["--no-sandbox", ...args],
  });

export type VisitOptions = BrowserContextOptions & { transport?: Transport; path?: string };

export class Visit {
  readonly page: Page;
  readonly faults: string[] = [];
  readonly requests: string[] = [];
  /** Errors of the network that a story brings about itself. */
  expectsNetworkErrors = false;
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#context = context;
    this.page = page;
    this.#watch(origin);
  }

  static async open(
    browser: Browser,
    url: string,
    { transport = "sse", path = "/", ...options }: VisitOptions = {},
  ): Promise<Visit> {
    const context = await browser.newContext({
      baseURL: url,
      locale: "en-US",
      viewport: { width: 1280, height: 860 },
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const visit = new Visit(context, page, new URL(url).origin);
    await page.goto(path);
    if (transport !== "sse") await visit.choose(transport);
    return visit;
  }

  #watch(origin: string): void {
    const { page } = this;
    page.on("pageerror", (error) => this.faults.push(`exception: ${error.message}`));
    page.on("console", (message) => {
      const isNetwork = /Failed to load resource|WebSocket connection/.test(message.text());
      const isExpected = isNetwork && this.expectsNetworkErrors;
      if (message.type() === "error" && !isExpected) this.faults.push(message.text());
    });
    const leaves = (target: string) => {
      const url = new URL(target);
      this.requests.push(`${url.pathname}${url.search}`);
      const own = url.host === new URL(origin).host || ["data:", "blob:"].includes(url.protocol);
      if (!own) this.faults.push(`a request left the origin: ${target}`);
    };
    page.on("request", (request) => leaves(request.url()));
    page.on("websocket", (socket) => leaves(socket.url()));
  }

  leave = () => this.#context.close();

  assertFaultless(): void {
    assert.deepEqual(this.faults, []);
  }

  async choose(transport: Transport): Promise<void> {
    // The radio button lies under its label.
    await this.page.getByRole("radio", { name: transport.toUpperCase() }).check({ force: true });
  }

  async say(text: string): Promise<void> {
    await this.settles();
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  get composer(): Locator {
    return this.page.locator("#message");
  }

  get messages(): Locator {
    return this.page.locator("main:visible .messages");
  }

  /** Waits for a text of the conversation. */
  async sees(text: string | RegExp): Promise<void> {
    await this.messages.getByText(text).last().waitFor();
  }

  /** The cards of gated calls, in order. */
  get cards(): Locator {
    return this.page.locator("main:visible .approval");
  }

  cardIs(status: string): Locator {
    return this.page.locator(`main:visible .approval[data-status="${status}"]`);
  }

  get approve(): Locator {
    return this.page.getByRole("button", { name: /^(Approve|承認する)/ });
  }

  get deny(): Locator {
    return this.page.getByRole("button", { name: /^(Deny|拒否する)/ });
  }

  /** Nothing is under way. */
  async settles(): Promise<void> {
    await this.page.getByRole("button", { name: /^(Send|送信)$/ }).waitFor();
  }

  /** The roles of the messages that the server has of the chat that is open. */
  async stored(): Promise<string[]> {
    const chat = new URL(this.page.url()).searchParams.get("chat");
    const answer = await this.page.request.get(`/api/chat/${chat}/messages`);
    return answer.ok() ? (await answer.json()).map(({ role }: { role: string }) => role) : [];
  }

  async picture(name: string): Promise<void> {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: `${SHOTS}${name}.png` });
  }

  /** A picture for people to look at, and a look for faults of accessibility. */
  async shows(name: string): Promise<void> {
    await this.picture(name);
    assert.deepEqual(await accessibilityFaults(this.page), [], `accessibility of ${name}`);
  }
}
