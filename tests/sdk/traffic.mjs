// What a page has sent, and what came back for it, whichever way it went.
import { read, schemaFaults, withoutErrors } from "./conformance.mjs";

const MOST_REQUESTS = 25;

export class Traffic {
  requests = [];
  faults = [];
  /** How often it has told the server to stop. */
  aborts = 0;
  /** Frames that answer no request of its own. */
  notices = [];
  open = 0;

  constructor(major) {
    this.major = major;
  }

  /** A request goes out; `kind` is `send` or `resume`. */
  begin(kind, body) {
    if (this.requests.length >= MOST_REQUESTS) throw new Error("the page posts for ever");
    const request = { kind, body, outcome: "open", refusal: null, chunks: [] };
    this.requests.push(request);
    this.open += 1;
    return request;
  }

  /** It has come to its end: `done`, `none` (nothing to resume), `refused` or `lost`. */
  async end(request, outcome, refusal = null) {
    if (request.outcome !== "open") return;
    Object.assign(request, { outcome, refusal });
    this.faults.push(...(await schemaFaults(request.chunks)), ...(await this.reread(request)));
    this.open -= 1;
  }

  /** The SDK's plain reader must take the same chunks. */
  async reread({ chunks, body }) {
    const addressed = body?.messages?.find((message) => message.id === body.messageId);
    const message = addressed?.role === "assistant" ? addressed : undefined;
    return (await read(this.major, withoutErrors(chunks), message)).faults;
  }
}
