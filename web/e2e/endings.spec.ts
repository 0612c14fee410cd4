/** Requests that end badly: too late, failed, or nobody knows. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { eventually } from "./support/eventually.js";
import { PaymentSink } from "./support/payment-sink.js";
import { stories } from "./support/stories.js";

const environment: Record<string, string> = { ADK_STREAM_APPROVAL_TTL: "4" };
let sink: PaymentSink;
before(async () => {
  sink = await PaymentSink.start();
  environment.PAYMENT_SINK_URL = sink.url;
});
after(() => sink.close());
const { scene, story } = stories(environment);

story("nobody answers in time", async ({ open, transport }) => {
  const visit = await open();
  await visit.say("Send $50 to Hanako");
  await visit
    .cardIs("waiting")
    .getByText(/0:0\d left/)
    .waitFor();
  await visit.cardIs("expired").getByText("Nobody answered in time. It did not happen.").waitFor();
  assert.equal(await visit.approve.count(), 0);
  await visit.shows(`approval-expired-${transport}`);
  await visit.page.reload();
  await visit.cardIs("expired").getByText("Nobody answered in time. It did not happen.").waitFor();
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
});

const TAKEN_BACK = {
  "en-US": "The agent took this back before it was answered. It did not happen.",
  "ja-JP": "回答の前にエージェントが取り下げたため、実行していません。",
};

scene("the agent takes a request back", async ({ open }) => {
  for (const [locale, words] of Object.entries(TAKEN_BACK)) {
    const visit = await open({ locale, transport: "bidi" }); // only a live model can
    await visit.say('/call process_payment {"amount": 50, "recipient": "Hanako"}\n/withdraw');
    await visit.cardIs("withdrawn").getByText(words).waitFor();
    assert.equal(await visit.approve.count(), 0);
    await visit.page.reload();
    await visit.cardIs("withdrawn").getByText(words).waitFor();
    await visit.shows(`approval-withdrawn-${locale}`);
  }
});

story("a payment that fails", async ({ open, transport }) => {
  sink.isBroken = true;
  const visit = await open();
  await visit.say("Send $50 to Hanako");
  await visit.approve.click();
  await visit.cardIs("failed").waitFor();
  sink.isBroken = false;
  await visit.sees(/The payment of 50 USD to Hanako failed/);
  await visit.shows(`approval-failed-${transport}`);
});

story("the server dies in the middle of a payment", async ({ open, server, transport }) => {
  const visit = await open();
  visit.expectsNetworkErrors = true;
  sink.isHolding = true;
  const before = sink.keys.length;
  await visit.say("Send $50 to Hanako");
  await visit.approve.click();
  await eventually("the payment was begun", () => sink.keys.length === before + 1);
  await server.kill();
  await visit.page.getByText("Connection lost. Trying to reconnect").waitFor();
  sink.isHolding = false;
  await server.start();
  await visit.page.getByText("Reconnected.").waitFor();
  await visit.cardIs("unknown").getByText("It may have happened").waitFor();
  await visit.shows(`approval-unknown-${transport}`);
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  assert.equal(sink.keys.length, before + 1);
});

story("a reload in the middle of a payment", async ({ open }) => {
  const visit = await open();
  sink.isHolding = true;
  const before = sink.keys.length;
  await visit.say("Send $50 to Hanako");
  await visit.approve.click();
  await eventually("the payment was begun", () => sink.keys.length === before + 1);
  await visit.page.reload();
  await visit.cards.waitFor();
  assert.equal(await visit.approve.count(), 0);
  sink.release();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  await visit.cardIs("done").waitFor();
  assert.equal(sink.keys.length, before + 1);
});
