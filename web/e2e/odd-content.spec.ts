/** Content that is made to mislead, or that the page cannot read. */
import assert from "node:assert/strict";
import { stories } from "./support/stories.js";
import type { Visit } from "./support/visit.js";

const { story, scene } = stories();

type Part = Record<string, unknown>;

/** Opens a chat whose stored answer has these parts. */
async function showStored(visit: Visit, parts: Part[]): Promise<void> {
  const messages = [
    { id: "u1", role: "user", parts: [{ type: "text", text: "Show me." }] },
    { id: "a1", role: "assistant", parts: [...parts, { type: "text", text: "That was all." }] },
  ];
  await visit.page.route("**/messages", (route) => route.fulfill({ json: messages }));
  await visit.page.goto("/?chat=odd");
}

scene("a file whose address cannot be read", async ({ open }) => {
  const visit = await open();
  const file = { type: "file", mediaType: "image/png", filename: "cat.png" };
  const addresses = ["http://[", "https://exa mple", "//", ""];
  await showStored(
    visit,
    addresses.map((url) => ({ ...file, url })),
  );
  await visit.sees("That was all.");
  assert.equal(await visit.messages.getByText("File cat.png").count(), addresses.length);
  await visit.say("Hello");
  await visit.sees("Hello! What can I do for you?");
});

scene("a part that cannot be shown", async ({ open }) => {
  const visit = await open();
  await showStored(visit, [{ type: "file", mediaType: 5, url: 7 }]);
  await visit.sees("This part cannot be shown.");
  await visit.sees("That was all.");
  await visit.shows("part-not-shown");
  // What React says of it is meant for developers.
  assert.equal(visit.faults.length > 0, true);
  visit.faults.length = 0;
});

scene("where a link leads", async ({ open }) => {
  const visit = await open();
  const text = [
    "[your bank](https://evil.example/login)",
    "[https://bank.example](https://bank.example@evil.example/)",
    "<https://plain.example/path>",
    "[mail](mailto:eve@evil.example)",
    "[раураӏ](https://раураӏ.example)",
    "[run](javascript:alert(1))",
    "[odd](https://[)",
    "![cat](https://pictures.example/cat.png)",
  ].join("\n\n");
  await showStored(visit, [{ type: "text", text }]);
  await visit.sees("That was all.");
  const lines = await visit.messages.locator(".markdown").first().locator("p").allInnerTexts();
  assert.deepEqual(lines, [
    "your bank (evil.example)",
    "https://bank.example (evil.example)",
    "https://plain.example/path",
    "mail (eve@evil.example)",
    "раураӏ (xn--80aa0cbo65f.example)",
    "run",
    "odd (https://[)",
    "cat (pictures.example)",
  ]);
  assert.equal(await visit.messages.locator("a").count(), 6);
  await visit.shows("links");
});

story("letters that look like others", async ({ open, transport }) => {
  const visit = await open();
  await visit.say('/call process_payment {"amount":5,"recipient":"p\\u0430ypal"}');
  await visit.cardIs("waiting").waitFor();
  const words = await visit.cards.innerText();
  assert.match(words, /to “p⟨U\+0430⟩ypal”/);
  assert.match(words, /recipient\s+p⟨U\+0430⟩ypal\s+Some letters look like others/);
  await visit.shows(`look-alikes-${transport}`);
  await visit.deny.click();
  await visit.settles();
});

scene("letters that look like others, in Japanese", async ({ open }) => {
  const visit = await open({ locale: "ja-JP" });
  await visit.say('/call process_payment {"amount":5,"recipient":"p\\u0430ypal"}');
  await visit.cardIs("waiting").getByText("見た目の似た別の文字が含まれています").waitFor();
  await visit.shows("look-alikes-ja");
});

scene("ordinary names of any script", async ({ open }) => {
  const visit = await open();
  await visit.say('/call process_payment {"amount":5,"recipient":"田中 Иван ガ"}');
  await visit.cardIs("waiting").getByText("田中 Иван ガ", { exact: true }).waitFor();
  assert.equal(await visit.cards.getByText(/look like others/).count(), 0);
});

for (const [status, words] of [
  [429, "Too many requests at the moment. Try again in 7 seconds."],
  [503, "The server cannot take this right now. Try again in 7 seconds."],
] as const)
  scene(`an answer of ${status}`, async ({ open }) => {
    const visit = await open();
    visit.expectsNetworkErrors = true;
    const refusal = {
      status,
      headers: { "retry-after": "7" },
      body: "raw words (too-many, reference 1)",
    };
    await visit.page.route("**/api/chat", (route) => route.fulfill(refusal), { times: 1 });
    await visit.say("Hello");
    await visit.page.getByRole("alert").getByText(words).waitFor();
    await visit.shows(`refused-${status}`);
    await visit.page.getByRole("button", { name: "Try again" }).click();
    await visit.sees("Hello! What can I do for you?");
  });
