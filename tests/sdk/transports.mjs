// The ways a page reaches the server: each a ChatTransport, with its traffic recorded.
import { WebSocket } from "undici";
import { sdks } from "./sdks.mjs";
import { SmallTransport } from "./small-transport.mjs";

const SOCKETS = {
  /** What `ai` 7 brings along. */
  stock: ({ major }) => sdks[major].WebSocketChatTransport,
  /** What an app on `ai` 6 may write. */
  small: () => SmallTransport,
  /** Our own package. */
  client: ({ client }) => client.WebSocketChatTransport,
};

/** The transport of that name: `http`, or one of the sockets. */
export function transportOf(name, options, traffic) {
  const { major, api, live, headers } = options;
  if (name === "http") {
    const closing = new AbortController();
    const fetch = recordingFetch(traffic, closing.signal);
    const transport = new sdks[major].DefaultChatTransport({ api, headers, fetch });
    return Object.assign(transport, { close: () => closing.abort() });
  }
  const Transport = SOCKETS[name](options);
  return new Transport({ url: live, webSocket: recordingSocket(traffic, headers) });
}

/** `closed` ends what is under way, as when the tab is closed. */
const recordingFetch = (traffic, closed) => async (url, init) => {
  const request = traffic.begin(init.body ? "send" : "resume", JSON.parse(init.body ?? "null"));
  try {
    const signal = init.signal ? AbortSignal.any([closed, init.signal]) : closed;
    const response = await fetch(url, { ...init, signal });
    const [forChat, forRecord] = response.body?.tee() ?? [null, null];
    void record(traffic, request, response.status, new Response(forRecord));
    return new Response(forChat, { status: response.status, headers: response.headers });
  } catch (error) {
    await traffic.end(request, "lost");
    throw error;
  }
};

async function record(traffic, request, status, response) {
  const text = await response.text().catch(() => null);
  if (text === null) return traffic.end(request, "lost");
  if (status === 204) return traffic.end(request, "none");
  if (status !== 200) return traffic.end(request, "refused", text);
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  request.chunks.push(...lines.map((line) => JSON.parse(line.slice(6))));
  return traffic.end(request, "done");
}

/** The socket of a browser, which sends cookies by itself. */
const recordingSocket = (traffic, headers) =>
  class extends WebSocket {
    #requests = new Map();

    constructor(url, protocols = []) {
      super(url, { protocols, headers });
      this.addEventListener("message", ({ data }) => this.#received(JSON.parse(data)));
      this.addEventListener("close", () => {
        for (const request of this.#requests.values()) void traffic.end(request, "lost");
      });
    }

    send(text) {
      const { type, requestId, ...body } = JSON.parse(text);
      if (type === "abort") traffic.aborts += 1;
      else this.#requests.set(requestId, traffic.begin(type, body));
      super.send(text);
    }

    #received({ type, requestId, ...frame }) {
      const request = this.#requests.get(requestId);
      if (request === undefined) return void traffic.notices.push(type);
      if (type === "chunk") {
        if (frame.sequence !== request.chunks.length) traffic.faults.push("a chunk out of order");
        request.chunks.push(frame.chunk);
      }
      if (type === "end") void traffic.end(request, "done");
      if (type === "no-active") void traffic.end(request, "none");
      if (type === "error") void traffic.end(request, "refused", frame.errorText);
    }
  };
