// A page without a browser: the SDK's Chat on one of its transports, with everything recorded.
import { sdks } from "./sdks.mjs";
import { Traffic } from "./traffic.mjs";
import { transportOf } from "./transports.mjs";

const PATIENCE_MS = 60_000;

/** The state that `@ai-sdk/react` gives to AbstractChat, without React. */
class State {
  status = "ready";
  error = undefined;
  constructor(messages) {
    this.messages = messages;
  }
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

/** When a page posts by itself: the stock helpers, alone and together, and as pattern A of docs/protocol.md needs it. */
const HELPERS = {
  both: (ai) => (chat) => HELPERS.approvals(ai)(chat) || HELPERS.tools(ai)(chat),
  approvals: (ai) => ai.lastAssistantMessageIsCompleteWithApprovalResponses,
  tools: (ai) => ai.lastAssistantMessageIsCompleteWithToolCalls,
  patient: (ai) => (chat) => HELPERS.both(ai)(chat) && !browserIsDue(chat),
};

export class Page {
  constructor({ messages = [], transport = "http", ...options }) {
    this.options = options;
    this.traffic = new Traffic(options.major);
    this.toolCalls = [];
    this.state = new State(messages);
    this.connect(transport);
  }

  /** Go on over a transport: as an app does, with a new Chat that has the id and the messages. */
  connect(name) {
    const { major, id, helpers, shared } = this.options;
    this.leave();
    this.transport = shared ?? transportOf(name, this.options, this.traffic);
    this.chat = new (class extends sdks[major].AbstractChat {})({
      id,
      state: this.state,
      transport: this.transport,
      sendAutomaticallyWhen: HELPERS[helpers](sdks[major]),
      onToolCall: ({ toolCall }) => void this.toolCalls.push(toolCall.toolName),
    });
  }

  /** The socket, if there is one, is closed as by a reload. */
  leave() {
    this.transport?.close?.();
  }

  /** The actions of one moment; all are begun before any is awaited. */
  async act(actions, quietMs, until) {
    const begun = Promise.all(actions.map((action) => this.begin(action)));
    let isDone = false;
    begun.finally(() => (isDone = true)).catch(() => {});
    if (until === undefined) await this.rest(quietMs, () => isDone);
    else await this.wait(`never ${JSON.stringify(until)}`, () => this.shows(until));
    await Promise.race([begun, timeout(0)]);
    return this.report();
  }

  begin({ name, ...options }) {
    switch (name) {
      case "say":
        return this.chat.sendMessage(options);
      case "regenerate":
        return this.chat.regenerate(options);
      case "resend":
        return this.chat.sendMessage();
      case "decide":
        return this.chat.addToolApprovalResponse(options);
      case "output":
        return this.chat.addToolOutput(options);
      case "stop":
        return this.chat.stop();
      case "resume":
        return this.chat.resumeStream();
      case "connect":
        return this.connect(options.transport);
      case "leave":
        return this.leave();
      default:
        throw new Error(`no such action: ${name}`);
    }
  }

  /** Wait until nothing is under way and nothing new has begun for a while.
   *
   * A request that waits for its socket is not among the traffic yet. */
  async rest(quietMs, isDone) {
    let seen = this.traffic.requests.length;
    let quietSince = Date.now();
    await this.wait("the page is still busy", () => {
      const busy = this.traffic.open > 0 || ["submitted", "streaming"].includes(this.chat.status);
      const isQuiet = isDone() && !busy && seen === this.traffic.requests.length;
      if (!isQuiet) quietSince = Date.now();
      seen = this.traffic.requests.length;
      return isQuiet && Date.now() - quietSince >= quietMs;
    });
  }

  /** Whether the last message has this text, the last request came so far, or notices came. */
  shows({ text, notices, last }) {
    const request = this.traffic.requests.at(-1);
    if (last === "refused") return request?.outcome === "refused";
    if (last === "resumed") return request?.kind === "resume" && request.chunks.length > 0;
    if (notices !== undefined) return this.traffic.notices.length >= notices;
    return this.state.messages.at(-1)?.parts.some((part) => part.text?.includes(text));
  }

  async wait(complaint, isOver) {
    const giveUp = Date.now() + PATIENCE_MS;
    while (!isOver()) {
      if (Date.now() > giveUp) return void this.traffic.faults.push(complaint);
      await timeout(5);
    }
  }

  /** Whether it has sent anything since its last report. */
  get isLate() {
    return this.traffic.requests.length !== this.reported;
  }

  report() {
    const { requests, aborts, notices, faults } = this.traffic;
    this.reported = requests.length;
    const { status, error, messages } = this.state;
    const shown = { status, error: error?.message ?? null, messages, toolCalls: this.toolCalls };
    const answered = requests.map(({ body, ...request }) => request);
    return { ...shown, requests: answered, aborts, notices, faults };
  }
}

const timeout = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
