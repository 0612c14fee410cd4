/** Answers of the server that ask for patience: too many requests, or a store that is away. */

const PATIENCE = [429, 503];

export class Refusal extends Error {
  readonly status: number;
  /** How long to wait, if the server says so. */
  readonly seconds: number | undefined;

  constructor(status: number, text: string, seconds?: number) {
    super(text);
    this.status = status;
    this.seconds = seconds;
  }

  static async of(response: Response): Promise<Refusal> {
    const seconds = secondsOf(response.headers.get("retry-after"));
    return new Refusal(response.status, await response.text(), seconds);
  }
}

type Fetch = typeof globalThis.fetch;

/** `fetch` that throws such answers: the SDK would keep their text alone. */
export function refusing(inner: Fetch): Fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (PATIENCE.includes(response.status)) throw await Refusal.of(response);
    return response;
  };
}

type Words = {
  unreachable: string;
  generic: string;
  tooMany: string;
  unavailable: string;
  retryIn: (seconds: number) => string;
  retrySoon: string;
};

/** The server writes its errors for users; what the browser throws is not for them. */
export function readable(error: Error, words: Words): string {
  if (error instanceof TypeError) return words.unreachable;
  const status = error instanceof Refusal ? error.status : statusIn(error.message);
  if (!status) return error.message || words.generic;
  const seconds = error instanceof Refusal ? error.seconds : undefined;
  const wait = seconds ? words.retryIn(seconds) : words.retrySoon;
  return `${status === 429 ? words.tooMany : words.unavailable} ${wait}`;
}

/** Over the socket an error is its text, which ends with its code. */
function statusIn(text: string): number | undefined {
  const code = /\((too-many|unavailable), reference [^()]*\)$/.exec(text)?.[1];
  if (!code) return undefined;
  return code === "too-many" ? 429 : 503;
}

/** The header has seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return seconds > 0 ? seconds : undefined;
}
