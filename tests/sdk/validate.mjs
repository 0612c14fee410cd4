// What the SDKs say against stored messages. One JSON request per line, one JSON answer per line:
//   {"messages":[…]}   ->   {"faults":[…]}
import { createInterface } from "node:readline";
import { sdks } from "./sdks.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const faults = [];
  for (const [name, ai] of Object.entries(sdks)) {
    const verdict = await ai.safeValidateUIMessages(JSON.parse(line));
    if (!verdict.success) faults.push(`${name}: ${verdict.error.message}`);
  }
  process.stdout.write(`${JSON.stringify({ faults })}\n`);
}
