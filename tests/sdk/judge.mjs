// One JSON request per line on stdin, one JSON answer per line on stdout:
//   {"do":"open","page":{…}}                    a new page; one at a time
//   {"do":"act","actions":[…],"quietMs":100}    user actions; answers with what the page shows
//   {"do":"late"}                               pages that have posted since their last report
//   {"do":"schema","chunks":[…]}                chunks before all schemas
//   {"do":"judge","replies":[[…],[…]]}          the replies of one message before all judges
import { createInterface } from "node:readline";
import { judge, schemaFaults } from "./conformance.mjs";
import { Page } from "./page.mjs";

let page;
const pages = [];

async function answer(request) {
  switch (request.do) {
    case "open":
      page = new Page(request.page);
      pages.push(page);
      return page.report();
    case "act":
      return page.act(request.actions, request.quietMs);
    case "late":
      return { pages: pages.filter((one) => one.isLate).map((one) => one.chat.id) };
    case "schema":
      return { faults: await schemaFaults(request.chunks) };
    case "judge":
      return judge(request.replies);
    default:
      throw new Error(`no such request: ${request.do}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = await answer(JSON.parse(line)).catch((error) => ({ failure: error.stack }));
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
