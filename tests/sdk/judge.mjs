// One JSON request per line on stdin, one JSON answer per line on stdout:
//   {"do":"open","number":1,"page":{…}}                  a new page
//   {"do":"act","number":1,"actions":[…],"quietMs":100}  user actions; answers with what it shows
//   {"do":"late"}                                        pages that have sent since they reported
//   {"do":"schema","chunks":[…]}                         chunks before all schemas
//   {"do":"judge","replies":[[…],[…]]}                   the replies of one message before all
import { createInterface } from "node:readline";
import { judge, schemaFaults } from "./conformance.mjs";
import { Page } from "./page.mjs";

const pages = new Map();

async function answer(request) {
  switch (request.do) {
    case "open":
      pages.set(request.number, await open(request.page));
      return pages.get(request.number).report();
    case "act":
      return pages.get(request.number).act(request.actions, request.quietMs, request.until);
    case "late":
      return { pages: [...pages.values()].flatMap((page) => (page.isLate ? [page.chat.id] : [])) };
    case "schema":
      return { faults: await schemaFaults(request.chunks) };
    case "judge":
      return judge(request.replies);
    default:
      throw new Error(`no such request: ${request.do}`);
  }
}

/** `beside`: the number of a page whose transport it shares, as two chats of one app may. */
async function open({ client, beside, ...options }) {
  const shared = pages.get(beside)?.transport;
  return new Page({ ...options, shared, client: client && (await import(client)) });
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = await answer(JSON.parse(line)).catch((error) => ({ failure: error.stack }));
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
for (const page of pages.values()) page.leave();
