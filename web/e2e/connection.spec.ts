import assert from "node:assert/strict";
import { eventually } from "./support/eventually.js";
import { stories } from "./support/stories.js";

const { story, scene } = stories();

story("the server goes away in the middle of an answer and comes back", async (given) => {
  const { open, server, transport } = given;
  const visit = await open();
  visit.expectsNetworkErrors = true;
  await visit.say("What is the weather in London?");
  await visit.sees(/14 °C/);
  await visit.say("/say 3\n/hang 60");
  await visit.sees("1 2 3");
  await server.kill();
  await visit.page.getByText("Connection lost. Trying to reconnect").waitFor();
  await visit.shows(`lost-${transport}`);
  await server.start();
  await visit.page.getByText("The answer to your message was cut off.").waitFor();
  await visit.sees(/14 °C/);
  await visit.say("Thanks");
  await visit.sees("You are welcome!");
  await visit.page.getByText("The answer to your message").waitFor({ state: "detached" });
});

story("an answer that was cut off can be asked for again", async ({ open, server }) => {
  const visit = await open();
  visit.expectsNetworkErrors = true;
  await visit.say("/hang 4\n/say 5");
  await visit.page.getByRole("button", { name: "Stop" }).waitFor();
  await eventually("it has begun", async () => (await visit.stored()).length > 0);
  await server.kill();
  await visit.page.getByText("Connection lost. Trying to reconnect").waitFor();
  await server.start();
  await visit.page.getByRole("button", { name: "Send again" }).click();
  await visit.sees("1 2 3 4 5");
  await visit.settles();
  assert.deepEqual(await visit.stored(), ["user", "assistant"]);
});

story("an open request survives it", async ({ open, server }) => {
  const visit = await open();
  visit.expectsNetworkErrors = true;
  await visit.say("Send $50 to Hanako");
  await visit.cardIs("waiting").waitFor();
  await server.kill();
  await visit.approve.click();
  await visit.page.getByText("Connection lost. Trying to reconnect").waitFor();
  await server.start();
  await visit.page.getByText("Reconnected.").waitFor();
  await visit.cardIs("waiting").waitFor();
  await visit.approve.click();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  assert.equal(await visit.cardIs("done").count(), 1);
});

scene("a message that did not arrive can be sent again", async ({ open, server }) => {
  const visit = await open();
  visit.expectsNetworkErrors = true;
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  await visit.settles();
  await server.kill();
  await visit.say("What is the weather in London?");
  await visit.page.getByText("Connection lost. Trying to reconnect").waitFor();
  await server.start();
  await visit.page.getByText("Your message was not delivered.").waitFor();
  await visit.page.getByRole("button", { name: "Send again" }).click();
  await visit.sees(/14 °C/);
});

scene("two windows on one chat do not fight for it", async ({ open }) => {
  const visit = await open({ transport: "bidi" });
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  await visit.settles();
  const second = await visit.page.context().newPage();
  await second.goto(visit.page.url());
  await second.getByText("Hello! What can I do for you?").first().waitFor();
  await visit.page.getByText("This chat is open in another window.").waitFor();
  await visit.shows("taken-over");
  await visit.page.getByRole("button", { name: "Continue here" }).click();
  await second.getByText("This chat is open in another window.").waitFor();
  await visit.say("Thanks");
  await visit.sees("You are welcome!");
});
