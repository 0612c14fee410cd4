import assert from "node:assert/strict";
import { stories } from "./support/stories.js";
import { PHONE } from "./support/visit.js";

const { story } = stories({ ADK_STREAM_LIVE_CALLS: "parallel" });

story("a payment is described, approved and done", async ({ open, transport }) => {
  const visit = await open();
  await visit.say("Send $50 to Hanako");
  await visit.cardIs("waiting").waitFor();
  const words = await visit.cards.innerText();
  assert.match(words, /Send 50 USD from your wallet to “Hanako”\./);
  assert.match(words, /amount\s+50\s+recipient\s+Hanako\s+currency\s+USD/);
  assert.match(words, /High risk\s+Money leaves the wallet at once and cannot be called back\./);
  assert.match(words, /(10:00|9:\d\d) left/);
  await visit.shows(`approval-waiting-${transport}`);
  await visit.approve.click();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  await visit.cardIs("done").waitFor();
  assert.equal(await visit.approve.count(), 0);
});

story("a denial with a reason", async ({ open }) => {
  const visit = await open();
  await visit.say("Send $50 to Hanako");
  await visit.page.getByRole("textbox", { name: "Reason (optional)" }).fill("too much");
  await visit.deny.click();
  await visit.sees("The payment of 50 USD to Hanako was denied (too much).");
  assert.match(
    await visit.cardIs("denied").innerText(),
    /It did not happen[\s\S]*Reason: too much/,
  );
});

story("a double click pays once", async ({ open }) => {
  const visit = await open();
  await visit.say("Send $50 to Hanako");
  await visit.approve.dblclick();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  await visit.settles();
  await visit.say("Send $1 to Hanako");
  await visit.approve.click();
  await visit.sees("I sent 1 USD to Hanako (balance 949).");
});

story("two requests are open at once", async ({ open, transport }) => {
  const visit = await open();
  await visit.say("Pay Alice $30 and Bob $40");
  await visit.cardIs("waiting").nth(1).waitFor();
  await visit.shows(`approval-two-${transport}`);
  await visit.approve.first().click();
  await visit
    .cardIs("approved")
    .getByText("Continues when the other request is answered")
    .waitFor();
  await visit.deny.click();
  await visit.sees(/I sent 30 USD to Alice \(balance 970\), and the payment of 40 USD to Bob was/);
  assert.equal(await visit.cardIs("done").count(), 1);
  assert.equal(await visit.cardIs("denied").count(), 1);
  await visit.shows(`approval-two-answered-${transport}`);
});

story("two payments one after the other", async ({ open }) => {
  const visit = await open();
  await visit.say("Send $30 to Alice, then $40 to Bob");
  await visit.cardIs("waiting").getByText("Alice", { exact: true }).waitFor();
  await visit.approve.click();
  await visit.cardIs("waiting").getByText("Bob", { exact: true }).waitFor();
  await visit.approve.click();
  await visit.sees(/I sent 30 USD to Alice.*I sent 40 USD to Bob \(balance 930\)/);
});

story("what the model wrote is shown as text", async ({ open }) => {
  const visit = await open();
  const recipient =
    '<img src="/x" onerror="alert(1)"> **Bold** [link](https://example.org) \\u202Eevil';
  await visit.say(
    `/call process_payment {"amount":5,"recipient":${JSON.stringify(recipient).replace("\\\\u202E", "\\u202E")}}`,
  );
  await visit.cardIs("waiting").waitFor();
  const card = visit.cards;
  assert.match(
    await card.innerText(),
    /<img src="\/x" onerror="alert\(1\)"> \*\*Bold\*\* \[link\]/,
  );
  assert.match(await card.innerText(), /U\+202E/);
  assert.equal(await card.locator("img, strong, a").count(), 0);
  await visit.shows("approval-hostile-text");
  await visit.deny.click();
  await visit.cardIs("denied").waitFor();
});

story("a new message leaves an open request behind", async ({ open }) => {
  const visit = await open();
  await visit.say("Send $50 to Hanako");
  await visit.cardIs("waiting").waitFor();
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  await visit.cardIs("cancelled").waitFor();
  assert.equal(await visit.approve.count(), 0);
});

story("the keyboard is enough", async ({ open }) => {
  const visit = await open({ viewport: PHONE });
  const { page } = visit;
  await visit.composer.pressSequentially("Send $50 to Hanako");
  await page.keyboard.press("Enter");
  await visit.cardIs("waiting").waitFor();
  // Backwards from the message box: Approve, Deny, the reason.
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(page), "Approve: Send money");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(page), "Deny: Send money");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Send money");
});

const focused = (page: import("playwright-core").Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
