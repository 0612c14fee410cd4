import assert from "node:assert/strict";
import { eventually } from "./support/eventually.js";
import { stories } from "./support/stories.js";

const { story, scene } = stories();

story("an answer with a tool card", async ({ open }) => {
  const visit = await open();
  await visit.say("What is the weather in London?");
  await visit.sees("It is 14 °C and rainy in London.");
  const card = visit.page.locator(".tool");
  assert.equal(await card.getAttribute("data-status"), "done");
  await card.getByText("Details").click();
  await card.getByText("humidity").waitFor();
  assert.match(await card.innerText(), /location\s+London[\s\S]*temperature\s+14/);
});

story("a suggestion for each of the tools", async ({ open }) => {
  const visit = await open();
  const suggestions = visit.page.getByRole("list", { name: "Suggestions" }).getByRole("button");
  const texts = await suggestions.allInnerTexts();
  for (const words of [/weather/, /Send \$50/, /Alice.*Bob/, /Where am I/, /BGM/])
    assert.ok(
      texts.some((text) => words.test(text)),
      `${words}`,
    );
  await suggestions.first().click();
  await visit.sees("It is 14 °C and rainy in London.");
});

story("thoughts that fold", async ({ open }) => {
  const visit = await open();
  await visit.say("/think The user wants numbers\n/say 12");
  await visit.sees(/1 2 3 4 5 6 7 8 9 10 11 12/);
  const thought = visit.messages.locator("details").getByText("The user wants numbers");
  assert.equal(await thought.isVisible(), false);
  await visit.messages.getByText("Thoughts").click();
  await thought.waitFor();
});

story("text grows while it streams", async ({ open }) => {
  const visit = await open();
  await visit.say("/say 3\n/hang 60");
  await visit.sees("1 2 3");
  await visit.page.getByRole("button", { name: "Stop" }).waitFor();
});

story("Markdown of the model, and no HTML", async ({ open }) => {
  const visit = await open();
  await visit.say(
    '/call get_weather {"location":"**Rome** <b onclick=x>here</b> [a](javascript:x)"}',
  );
  const answer = visit.messages.getByText(/in Rome/);
  await answer.waitFor();
  assert.equal(await answer.locator("strong").innerText(), "Rome");
  assert.match(await answer.innerText(), /<b onclick=x>here<\/b> a/);
  assert.equal(await answer.locator("b, a, img").count(), 0);
});

story("a picture of the model", async ({ open }) => {
  const visit = await open();
  await visit.say("/image");
  const picture = visit.messages.getByRole("img", { name: "Image from the assistant" });
  await picture.waitFor();
  await eventually("it is drawn", () =>
    picture.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0),
  );
});

story("stop stops, and the chat goes on", async ({ open }) => {
  const visit = await open();
  await visit.say("/say 5\n/hang 100");
  await visit.sees("1 2 3 4 5");
  await visit.page.getByRole("button", { name: "Stop" }).click();
  await visit.settles();
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
});

scene("a message waits for the stop that is on its way", async ({ open }) => {
  const visit = await open();
  await visit.page.route("**/stop", (route) => setTimeout(() => void route.continue(), 500));
  await visit.say("/say 5\n/hang 100");
  await visit.sees("1 2 3 4 5");
  await visit.page.getByRole("button", { name: "Stop" }).click();
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
});

story("an error is readable, and the chat goes on", async ({ open, transport }) => {
  const visit = await open();
  await visit.say("/error 429");
  const alert = visit.page.getByRole("alert");
  await alert.getByText("The model is busy. Please try again in a moment.").waitFor();
  await visit.shows(`error-${transport}`);
  await alert.getByRole("button", { name: "Close" }).click();
  await alert.waitFor({ state: "detached" });
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
});

scene("the switch of the connection keeps the conversation", async ({ open }) => {
  const visit = await open();
  await visit.say("What is the weather in London?");
  await visit.sees("It is 14 °C and rainy in London.");
  await visit.choose("bidi");
  await visit.say("/echo");
  await visit.sees(/What is the weather in London\?[\s\S]*get_weather/);
  await visit.choose("sse");
  await visit.say("Thanks");
  await visit.sees("You are welcome!");
  assert.equal(await visit.messages.getByRole("listitem").count(), 6);
});

scene("a page in Japanese", async ({ open }) => {
  const visit = await open({ locale: "ja-JP" });
  assert.equal(await visit.page.locator("html").getAttribute("lang"), "ja");
  await visit.shows("welcome-ja");
  await visit.page.getByRole("button", { name: "東京の天気を教えて" }).click();
  await visit.sees("東京の天気は晴れ、気温は22℃です。");
  await visit.page.getByRole("button", { name: "設定" }).click();
  await visit.page.getByRole("radio", { name: "English" }).check({ force: true });
  await visit.page.getByRole("heading", { name: "Settings" }).waitFor();
  await visit.page.reload();
  await visit.page.getByRole("textbox", { name: "Message" }).waitFor();
});
