// A page without a browser: the SDK's Chat on its stock transport, with everything recorded.
import { read, schemaFaults, withoutErrors } from "./conformance.mjs";
import { sdks } from "./sdks.mjs";

const MOST_POSTS = 25;
const PATIENCE_MS = 20_000;

/** The state that `@ai-sdk/react` gives to AbstractChat, without React. */
class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => {
    this.messages = this.messages.concat(message);
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index, message) => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };
  snapshot = (thing) => structuredClone(thing);
}

const BROWSER_TOOLS = ["tool-get_location", "tool-change_bgm"];

/** An approved browser call still has to run: the page posts when its output is there. */
const browserIsDue = ({ messages }) =>
  messages
    .at(-1)
    .parts.some(
      ({ type, state, approval }) =>
        BROWSER_TOOLS.includes(type) && state === "approval-responded" && approval.approved,
    );

/** When a page posts by itself: the stock helpers, alone and together, and as pattern A needs it. */
const HELPERS = {
  both: (ai) => (chat) => HELPERS.approvals(ai)(chat) || HELPERS.tools(ai)(chat),
  approvals: (ai) => ai.lastAssistantMessageIsCompleteWithApprovalResponses,
  tools: (ai) => ai.lastAssistantMessageIsCompleteWithToolCalls,
  patient: (ai) => (chat) => HELPERS.both(ai)(chat) && !browserIsDue(chat),
};

export class Page {
  constructor({ major, api, id, headers, helpers }) {
    const ai = sdks[major];
    this.major = major;
    this.posts = [];
    this.toolCalls = [];
    this.faults = [];
    this.open = 0;
    this.state = new State();
    this.chat = new (class extends ai.AbstractChat {})({
      id,
      state: this.state,
      transport: new ai.DefaultChatTransport({ api, headers, fetch: this.fetch }),
      sendAutomaticallyWhen: HELPERS[helpers](ai),
      onToolCall: ({ toolCall }) => void this.toolCalls.push(toolCall.toolName),
    });
  }

  /** The actions of one moment; all are begun before any is awaited. */
  async act(actions, quietMs) {
    const begun = actions.map((action) => this.begin(action));
    await this.idle(quietMs);
    await Promise.race([Promise.all(begun), timeout(100)]);
    return this.report();
  }

  begin({ name, ...options }) {
    switch (name) {
      case "say":
        return this.chat.sendMessage({ text: options.text });
      case "resend":
        return this.chat.sendMessage();
      case "decide":
        return this.chat.addToolApprovalResponse(options);
      case "output":
        return this.chat.addToolOutput(options);
      default:
        throw new Error(`no such action: ${name}`);
    }
  }

  fetch = async (url, init) => {
    if (this.posts.length >= MOST_POSTS) throw new Error("the page posts for ever");
    const post = { body: JSON.parse(init.body), status: 0, refusal: null, chunks: [] };
    this.posts.push(post);
    this.open += 1;
    try {
      const response = await fetch(url, init);
      const [forChat, forRecord] = response.body.tee();
      void this.record(post, new Response(forRecord));
      post.status = response.status;
      return new Response(forChat, { status: response.status, headers: response.headers });
    } catch (error) {
      this.open -= 1;
      throw error;
    }
  };

  async record(post, response) {
    const text = await response.text();
    if (post.status === 200) {
      const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
      post.chunks = lines.map((line) => JSON.parse(line.slice(6)));
      this.faults.push(...(await schemaFaults(post.chunks)), ...(await this.reread(post)));
    } else {
      post.refusal = text;
    }
    this.open -= 1;
  }

  /** The SDK's plain reader must take the same chunks. */
  async reread({ chunks, body }) {
    const addressed = body.messages.find((message) => message.id === body.messageId);
    const message = addressed?.role === "assistant" ? addressed : undefined;
    return (await read(this.major, withoutErrors(chunks), message)).faults;
  }

  /** Wait until nothing is under way and nothing new has begun for a while. */
  async idle(quietMs) {
    const giveUp = Date.now() + PATIENCE_MS;
    let quietSince = Date.now();
    let seen = 0;
    while (Date.now() - quietSince < quietMs) {
      if (Date.now() > giveUp) return void this.faults.push("the page is still busy");
      await timeout(5);
      const busy = this.open > 0 || ["submitted", "streaming"].includes(this.chat.status);
      if (busy || seen !== this.posts.length) quietSince = Date.now();
      seen = this.posts.length;
    }
  }

  /** Whether it has posted since its last report. */
  get isLate() {
    return this.posts.length !== this.reported;
  }

  report() {
    this.reported = this.posts.length;
    const { status, error, messages } = this.state;
    const { posts, toolCalls, faults } = this;
    return { status, error: error?.message ?? null, messages, posts, toolCalls, faults };
  }
}

const timeout = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
