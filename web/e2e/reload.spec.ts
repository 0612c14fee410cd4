import assert from "node:assert/strict";
import { stories } from "./support/stories.js";

const { story, scene } = stories();

story("a reload in the middle of an approval", async ({ open, transport }) => {
  const visit = await open();
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  await visit.say("Send $50 to Hanako");
  await visit.cardIs("waiting").waitFor();
  await visit.page.reload();
  await visit.cardIs("waiting").waitFor();
  await visit.sees("Hello! What can I do for you?");
  const words = await visit.cards.innerText();
  assert.match(words, /Send 50 USD from your wallet to “Hanako”\.[\s\S]*left/);
  await visit.shows(`reloaded-${transport}`);
  await visit.approve.click();
  await visit.sees("I sent 50 USD to Hanako (balance 950).");
  await visit.cardIs("done").waitFor();
  assert.equal(await visit.messages.getByRole("listitem").count(), 4);
});

story("a reload after everything was done", async ({ open }) => {
  const visit = await open();
  await visit.say("Pay Alice $30 and Bob $40");
  await visit.approve.first().click();
  await visit.deny.last().click();
  await visit.sees(/Bob was denied/);
  await visit.settles();
  await visit.page.reload();
  await visit.sees(/Bob was denied/);
  assert.equal(await visit.cardIs("done").count(), 1);
  assert.equal(await visit.cardIs("denied").count(), 1);
  await visit.say("Thanks");
  await visit.sees("You are welcome!");
});

story("a reload in the middle of an answer", async ({ open }) => {
  const visit = await open();
  await visit.say("/say 3\n/hang 4\n/say 12");
  await visit.sees(/1 2 3/);
  await visit.page.reload();
  await visit.sees(/1 2 3 ?1 2 3 4 5 6 7 8 9 10 11 12/);
  await visit.settles();
  assert.equal(await visit.messages.getByRole("listitem").count(), 2);
});

scene("a history that does not come", async ({ open }) => {
  const visit = await open();
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  visit.expectsNetworkErrors = true;
  await visit.page.route("**/messages", (route) => route.abort(), { times: 1 });
  await visit.page.reload();
  await visit.page.getByText("The server is not responding.").waitFor();
  await visit.page.getByRole("button", { name: "Try again" }).click();
  await visit.sees("Hello! What can I do for you?");
});

scene("the list of chats", async ({ open }) => {
  const visit = await open();
  const { page } = visit;
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
  await page.getByRole("button", { name: "New chat" }).first().click();
  await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
  await visit.say("What is the weather in London?");
  await visit.sees(/14 °C/);
  await page.getByRole("button", { name: "Chats" }).click();
  await page.getByRole("link", { name: "Hello" }).waitFor();
  await visit.shows("chats");
  await page.getByRole("link", { name: "Hello" }).click();
  await visit.sees("Hello! What can I do for you?");
  await page.goBack();
  await visit.sees(/14 °C/);
  await page.getByRole("button", { name: "Chats" }).click();
  await page.getByRole("button", { name: "Delete the chat “Hello”" }).click();
  await page.getByRole("link", { name: "Hello" }).waitFor({ state: "detached" });
});
