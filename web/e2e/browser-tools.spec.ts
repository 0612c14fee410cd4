import assert from "node:assert/strict";
import { eventually } from "./support/eventually.js";
import { stories } from "./support/stories.js";
import type { Visit } from "./support/visit.js";

const { story, scene } = stories();
const HERE = {
  geolocation: { latitude: 35.68, longitude: 139.77, accuracy: 10 },
  permissions: ["geolocation"],
};

story("the location goes out after approval, together with it", async ({ open, transport }) => {
  const visit = await open(HERE);
  await visit.say("Where am I?");
  await visit.cardIs("waiting").getByText("Ask your browser for your location").waitFor();
  const sent = visit.requests.filter((path) => path === "/api/chat").length;
  await visit.approve.click();
  await visit.sees("You are at latitude 35.68, longitude 139.77.");
  await visit.cardIs("done").waitFor();
  await visit.settles();
  if (transport === "sse")
    assert.equal(visit.requests.filter((path) => path === "/api/chat").length, sent + 1);
});

story("a refusal of the browser is reported as such", async ({ open }) => {
  const visit = await open({ permissions: [] });
  await visit.say("Where am I?");
  await visit.approve.click();
  await visit.cardIs("failed").getByText("The browser was not allowed").first().waitFor();
  await visit.sees(/The request for your location failed \(The browser was not allowed/);
});

story("a location that is not shared", async ({ open }) => {
  const visit = await open(HERE);
  await visit.say("Where am I?");
  await visit.deny.click();
  await visit.sees("The request for your location was denied.");
});

story("music really plays, switches and obeys the volume", async ({ open, transport }) => {
  const visit = await open();
  await visit.say("Change the BGM to track 2");
  await visit.sees("The music is now track 2.");
  await visit.page.getByRole("button", { name: "Music", exact: true }).click();
  await visit.page.getByText("Playing: Night train").waitFor();
  await eventually("it sounds", async () => (await level(visit)) > 3);
  await visit.shows(`music-${transport}`);

  await visit.page.getByRole("slider", { name: "Volume" }).fill("0");
  await eventually("it is silent", async () => (await level(visit)) === 0);
  await visit.page.getByRole("slider", { name: "Volume" }).fill("1");
  await visit.page.keyboard.press("Escape");

  await visit.say("Change the BGM to track 3");
  await visit.sees("The music is now track 3.");
  await visit.page.getByRole("button", { name: "Music", exact: true }).click();
  await visit.page.getByText("Playing: Paper lanterns").waitFor();
  await eventually("it sounds", async () => (await level(visit)) > 3);
  await visit.page.getByRole("button", { name: "Track 3: Paper lanterns" }).click();
  await visit.page.getByText("No music is playing").waitFor();
});

story("a call that was open before the page was", async ({ open }) => {
  const visit = await open();
  const { page } = visit;
  await page.request.post("/api/chat", {
    data: { id: "open-before", message: { role: "user", content: "Change the BGM to track 2" } },
  });
  await page.goto("/?chat=open-before");
  await visit.messages.waitFor();
  // Browsers allow no sound before the page was touched.
  await visit.messages.click();
  await visit.sees("The music is now track 2.");
  await page.getByRole("button", { name: "Music", exact: true }).click();
  await page.getByText("Playing: Night train").waitFor();
});

scene("each track can be picked by hand", async ({ open }) => {
  const visit = await open();
  await visit.page.getByRole("button", { name: "Music", exact: true }).click();
  for (const name of ["Still water", "Night train", "Paper lanterns"]) {
    await visit.page.getByRole("button", { name }).click();
    await visit.page.getByText(`Playing: ${name}`).waitFor();
    await eventually(`${name} sounds`, async () => (await level(visit)) > 3);
  }
});

/** The page's own meter, which measures the signal at the end of the chain. */
const level = (visit: Visit): Promise<number> =>
  visit.page.locator("meter").evaluate((meter) => (meter as HTMLMeterElement).value);
