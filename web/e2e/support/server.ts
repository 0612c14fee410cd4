/** The demo server as users start it: a process of its own, with a port and a state folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.js";

const COMMAND =
  process.env.ADK_STREAM_COMMAND ??
  fileURLToPath(new URL("../../../.venv/bin/adk-stream", import.meta.url));

export class DemoServer {
  readonly url: string;
  readonly #port: number;
  readonly #state: string;
  readonly #environment: Record<string, string>;
  #process: ChildProcess | undefined;

  private constructor(port: number, state: string, environment: Record<string, string>) {
    this.#port = port;
    this.#state = state;
    this.#environment = environment;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(environment: Record<string, string> = {}): Promise<DemoServer> {
    const state = await mkdtemp(join(tmpdir(), "adk-stream-page-"));
    const server = new DemoServer(await freePort(), state, environment);
    await server.start();
    return server;
  }

  /** Also again, after it was killed; a server that runs is left alone. */
  async start(): Promise<void> {
    if (this.#isRunning) return;
    const child = spawn(COMMAND, ["demo", "--port", `${this.#port}`, "--state", this.#state], {
      env: { ...process.env, ADK_STREAM_LOG_LEVEL: "critical", ...this.#environment },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#process = child;
    await eventually("the server is ready", async () => {
      if (child.exitCode !== null) throw new Error("it ended at once");
      return (await fetch(`${this.url}/healthz`).catch(() => undefined))?.ok ?? false;
    });
  }

  get #isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Without a word: what was not stored is lost. */
  kill = () => this.#end("SIGKILL");

  async close(): Promise<void> {
    await this.#end("SIGTERM");
    await rm(this.#state, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || !this.#isRunning) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
