/** Where the demo's payments go in a test: it counts them, and can keep the server waiting. */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";

export class PaymentSink {
  readonly keys: string[] = [];
  readonly #server: Server;
  readonly #held: ServerResponse[] = [];
  /** Never answers. */
  isHolding = false;
  /** Says that it cannot. */
  isBroken = false;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.keys.push(String(request.headers["idempotency-key"]));
      if (this.isHolding) this.#held.push(response);
      else response.writeHead(this.isBroken ? 500 : 200).end("{}");
    });
  }

  static async start(): Promise<PaymentSink> {
    const sink = new PaymentSink();
    sink.#server.listen(0, "127.0.0.1");
    await once(sink.#server, "listening");
    return sink;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    return `http://127.0.0.1:${address.port}/`;
  }

  /** Says yes to all that wait, and from now on at once. */
  release(): void {
    this.isHolding = false;
    for (const response of this.#held.splice(0)) response.writeHead(200).end("{}");
  }

  async close(): Promise<void> {
    this.release();
    this.#server.close();
    await once(this.#server, "close");
  }
}
