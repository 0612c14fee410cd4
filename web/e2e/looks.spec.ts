/** Pictures for people, and a look for faults of accessibility, in both colours and both widths. */
import assert from "node:assert/strict";
import { eventually } from "./support/eventually.js";
import { stories } from "./support/stories.js";
import { PHONE } from "./support/visit.js";

const { scene } = stories();
const WIDTHS = { desktop: { width: 1280, height: 860 }, phone: PHONE };

for (const colorScheme of ["light", "dark"] as const)
  for (const [width, viewport] of Object.entries(WIDTHS))
    scene(`the page in ${colorScheme} on a ${width}`, async ({ open }) => {
      const visit = await open({ colorScheme, viewport });
      const { page } = visit;
      const shows = (name: string) => visit.shows(`${name}-${colorScheme}-${width}`);
      await shows("welcome");
      await visit.say("What is the weather in London?");
      await visit.sees(/14 °C/);
      await visit.say("Pay Alice $30 and Bob $40");
      await visit.approve.nth(1).waitFor();
      await shows("approvals");
      await visit.approve.first().click();
      await visit.deny.click();
      await visit.sees(/Bob was denied/);
      await page.locator(".tool-details").last().getByText("Details").click();
      await shows("answered");
      await visit.say("/think A thought\n/image");
      await visit.messages.getByText("Thoughts").click();
      await shows("thoughts");
      for (const name of ["Music", "Settings", "Chats"]) {
        await page.getByRole("button", { name, exact: true }).click();
        if (name === "Chats") await page.getByRole("link", { name: /weather/ }).waitFor();
        await shows(name.toLowerCase());
        await page.keyboard.press("Escape");
      }
      await page.getByRole("button", { name: "Inspector" }).click();
      await page.getByRole("option").first().click();
      await shows("inspector");
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0, "nothing is wider than the window");
    });

scene("the colours can be chosen", async ({ open }) => {
  const visit = await open({ colorScheme: "light" });
  const paper = () =>
    visit.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await visit.page.getByRole("button", { name: "Settings" }).click();
  await visit.page.getByRole("radio", { name: "Dark" }).check({ force: true });
  await eventually("it is dark", async () => (await paper()) !== light);
  await visit.page.reload();
  await eventually("it is dark again", async () => (await paper()) !== light);
});
