import { readFileSync } from "node:fs";
import * as ai from "ai";
import { expect, test } from "vitest";
import * as core from "./index.js";
import * as react from "./react/index.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the SDK under test is of the major it is said to be", () => {
  expect("WebSocketChatTransport" in ai).toBe(process.env.AI_MAJOR === "7");
});

test("the README lists what there is", () => {
  const listed = [...readme.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...Object.keys(core), ...Object.keys(react)].sort());
});

test("the README's page is the one that is compiled and short", () => {
  const page = readFileSync(new URL("../test/readme-page.tsx", import.meta.url), "utf8");
  const [, shown] = /```tsx\n(.*?)```/s.exec(readme) ?? [];
  expect(page.endsWith(shown ?? "no page")).toBe(true);
});
