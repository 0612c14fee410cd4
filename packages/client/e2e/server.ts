/** The real server with its scripted model, for one run of the tests. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    origin: string;
  }
}

const COMMAND = new URL("../../../.venv/bin/adk-stream", import.meta.url).pathname;

export default async function setup(project: TestProject) {
  const state = mkdtempSync(join(tmpdir(), "adk-stream-client-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const args = ["demo", "--port", `${port}`, "--state", state];
  const server = spawn(COMMAND, args, { stdio: "ignore" });
  const exited = new Promise((resolve) => server.once("exit", resolve));
  await Promise.race([isUp(origin), exited.then(() => fail("the server did not start"))]);
  project.provide("origin", origin);
  return async () => {
    server.kill("SIGTERM");
    await exited;
    rmSync(state, { recursive: true });
  };
}

async function isUp(origin: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const response = await fetch(`${origin}/healthz`).catch(() => undefined);
    if (response?.ok) return;
    await setTimeout(100);
  }
  fail("the server is not up after a minute");
}

function fail(why: string): never {
  throw new Error(why);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = address && typeof address === "object" ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
