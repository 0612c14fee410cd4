/** What the first visit costs and what the page may do, judged by the build itself. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const BUILT = fileURLToPath(new URL("../../src/adk_stream_protocol/demo/page/", import.meta.url));
const MOST_BYTES = 300 * 1024;

test("all JavaScript of the page is small", () => {
  const scripts = readdirSync(BUILT, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  const sizes = scripts.map((name) => gzipSync(readFileSync(`${BUILT}${name}`)).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total > 0 && total < MOST_BYTES, `${total} bytes`);
});

test("the page has no inline script or style and names no other server", () => {
  const html = readFileSync(`${BUILT}index.html`, "utf8");
  assert.equal(html.match(/<script(?![^>]*\bsrc=)/g), null);
  assert.equal(html.match(/<style|\sstyle=|\son\w+=/g), null);
  assert.equal(html.match(/https?:/g), null);
});
