import type { Recording } from "./recording";

type Fetch = typeof globalThis.fetch;

/** `fetch` that writes down what it sends and what comes back, and changes nothing. */
export function observeFetch(
  recording: Recording,
  inner: Fetch = (...all) => fetch(...all),
): Fetch {
  return async (input, init) => {
    const channel = recording.channel("http");
    const note = (
      direction: "up" | "down",
      kind: "request" | "response" | "error",
      data: unknown,
    ) => recording.add({ direction, via: "http", kind, channel, data });
    note("up", "request", requestData(input, init));
    try {
      const response = await inner(input, init);
      note("down", "response", { status: response.status });
      return watched(response, channel, recording);
    } catch (error) {
      note("down", "error", { message: String(error) });
      throw error;
    }
  };
}

function requestData(input: RequestInfo | URL, init: RequestInit | undefined): unknown {
  const url = new URL(input instanceof Request ? input.url : String(input), location.href);
  const body = typeof init?.body === "string" ? parsed(init.body) : undefined;
  return { method: init?.method ?? "GET", path: url.pathname + url.search, body };
}

function watched(response: Response, channel: string, recording: Recording): Response {
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream"))
    return response;
  const lines = new EventLines((data) =>
    recording.add({ direction: "down", via: "http", kind: "chunk", channel, data }),
  );
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform: (bytes, controller) => {
      controller.enqueue(bytes);
      lines.feed(bytes);
    },
    flush: () => recording.add({ direction: "down", via: "http", kind: "end", channel, data: {} }),
  });
  return new Response(response.body.pipeThrough(tap), response);
}

/** The `data:` lines of server-sent events, over any borders of packets. */
class EventLines {
  readonly #decoder = new TextDecoder();
  readonly #onData: (data: unknown) => void;
  #rest = "";

  constructor(onData: (data: unknown) => void) {
    this.#onData = onData;
  }

  feed(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: ") && line !== "data: [DONE]") this.#onData(parsed(line.slice(6)));
    }
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
