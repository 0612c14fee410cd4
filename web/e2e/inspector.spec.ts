import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Recording } from "../src/inspector/recording.js";
import { stories } from "./support/stories.js";
import type { Visit } from "./support/visit.js";

const { story, scene } = stories();

story("the wire is seen live, filtered and as JSON", async ({ open, transport }) => {
  const visit = await open();
  const { page } = visit;
  await page.getByRole("button", { name: "Inspector" }).click();
  await page.getByText("Every chunk and frame, in both directions, will appear here.").waitFor();
  await visit.say("What is the weather in London?");
  await visit.sees(/14 °C/);
  await entry(visit, "finish").waitFor();
  await page.getByRole("listbox", { name: "Timeline" }).press("Home");
  for (const words of [/^\d\d:\d\d:\d\d\.\d{3}↑Sent/, /^\d\d:\d\d:\d\d\.\d{3}↓Received/])
    await page.getByRole("option").filter({ hasText: words }).first().waitFor();
  await visit.shows(`inspector-${transport}`);

  await page.getByRole("searchbox", { name: "Filter" }).fill("get_weather");
  await entry(visit, "tool-input-available").click();
  const json = page.getByRole("region", { name: "JSON of the selected entry" });
  assert.match(await json.innerText(), /"toolName": "get_weather"[\s\S]*"location": "London"/);
  assert.equal(await entry(visit, "text-delta").count(), 0);

  await page.getByRole("searchbox", { name: "Filter" }).fill("");
  await page.getByRole("radio", { name: "Sent" }).check({ force: true });
  await entry(visit, transport === "sse" ? "POST /api/chat" : "send frame").click();
  assert.match(await json.innerText(), /"text": "What is the weather in London\?"/);
});

story("a recording is downloaded and replayed without the server", async ({ open }) => {
  const visit = await open();
  const { page } = visit;
  await page.getByRole("button", { name: "Inspector" }).click();
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  await visit.settles();
  await visit.say("Send $50 to Hanako");
  await visit.approve.click();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  await visit.settles();

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  const path = await file.path();
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  for (const line of lines) assert.equal(typeof JSON.parse(line).time, "number");

  const before = visit.requests.length;
  await page.getByLabel("Replay a file").setInputFiles(path);
  await page.getByText("Nothing is sent to the server.").waitFor();
  await page.getByRole("radio", { name: "Instant" }).check({ force: true });
  await page.getByText("End of the recording.").waitFor();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  await visit.cardIs("done").waitFor();
  assert.equal(await visit.messages.getByRole("listitem").count(), 4);
  assert.equal(await visit.approve.count(), 0);
  await visit.shows("replay");
  assert.deepEqual(visit.requests.slice(before), []);
  await page.getByRole("button", { name: "Exit the replay" }).click();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
});

scene("a file that is no recording", async ({ open }) => {
  const visit = await open();
  await visit.page.getByRole("button", { name: "Inspector" }).click();
  await visit.page.getByLabel("Replay a file").setInputFiles({
    name: "notes.jsonl",
    mimeType: "application/x-ndjson",
    buffer: Buffer.from('{"a":1}\n'),
  });
  await visit.page.getByText("This is not a recording: line 1 cannot be read.").waitFor();
});

scene("a long answer stays light", async ({ open }) => {
  const visit = await open();
  await visit.page.getByRole("button", { name: "Inspector" }).click();
  await visit.say("/say 3000");
  await visit.sees(/2999 3000/);
  await entry(visit, "finish").waitFor();
  assert.ok((await visit.page.getByRole("option").count()) < 100);
});

const entry = (visit: Visit, label: string) =>
  visit.page
    .getByRole("option")
    .filter({ has: visit.page.getByText(label, { exact: true }) })
    .first();

test("a download has what is not shown yet", () => {
  const recording = new Recording();
  recording.add({ direction: "down", via: "http", kind: "end", channel: "http-1", data: null });
  assert.equal(recording.entries().length, 0);
  assert.equal(recording.whole().length, 1);
  assert.equal(recording.entries().length, 1);
});
