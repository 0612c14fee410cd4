/** The tools that the browser runs: a table of functions that answers their calls. */
import type { UIMessage } from "ai";
import { getToolName } from "ai";
import { shouldContinue } from "./should-continue.js";
import type { ToolPart } from "./tool-parts.js";
import { isApproved, lastStepTools } from "./tool-parts.js";

/** Declare the input's type yourself; the server has checked it against the tool's schema. */
export type ClientToolFunction = (input: never, call: { toolCallId: string }) => unknown;

/** With `approval` the tool runs only after a person has said yes. */
export type ClientTool = ClientToolFunction | { run: ClientToolFunction; approval: boolean };

export type ToolOutput =
  | { tool: string; toolCallId: string; output: unknown }
  | { tool: string; toolCallId: string; state: "output-error"; errorText: string };

export interface ApprovalAnswer {
  id: string;
  approved: boolean;
  reason?: string;
}

/** What answers need of a chat. `useChat` and `Chat` have it. */
export interface ToolAnswers {
  addToolOutput(output: ToolOutput): void | PromiseLike<void>;
  addToolApprovalResponse(answer: ApprovalAnswer): void | PromiseLike<void>;
}

export interface ClientTools {
  /** Whether the browser runs this tool. */
  has(toolName: string): boolean;
  /** Whether a call is being answered right now. */
  isRunning(toolCallId: string): boolean;
  /**
   * Answers the calls of the last message that may run: those without approval, and those whose approval
   * the server has confirmed. Call it whenever a response has ended, and once the history is loaded.
   */
  answer(messages: readonly UIMessage[], chat: ToolAnswers): void;
  /** The click on yes: runs the call, then hands in approval and result together. */
  approve(part: ToolPart, chat: ToolAnswers, reason?: string): Promise<void>;
  /** `shouldContinue` for a chat with these tools. */
  shouldContinue(chat: { messages: UIMessage[] }): boolean;
}

type Returned = { output: unknown } | { state: "output-error"; errorText: string };

interface Call {
  returned: Promise<Returned>;
  /** `seen`: the chat has shown the answer. If the call is open again after that, the answer was lost. */
  stage: "running" | "given" | "seen";
}

/** Each call runs once at most, however often it is shown, clicked or replayed. */
export function clientTools(table: Record<string, ClientTool>): ClientTools {
  const calls = new Map<string, Call>();

  const toolOf = (part: ToolPart) => {
    const name = getToolName(part);
    const tool = Object.hasOwn(table, name) ? table[name] : undefined;
    return typeof tool === "function" ? { run: tool, approval: false } : tool;
  };

  const mayRun = (part: ToolPart) => {
    const tool = toolOf(part);
    if (!tool || part.state !== "input-available" || part.providerExecuted) return false;
    return !tool.approval || isApproved(part);
  };

  const begin = (part: ToolPart): Call => {
    const call = calls.get(part.toolCallId) ?? {
      returned: perform(toolOf(part)?.run, part),
      stage: "running",
    };
    calls.set(part.toolCallId, call);
    call.stage = "running";
    return call;
  };

  const handIn = async (part: ToolPart, chat: ToolAnswers, approval?: ApprovalAnswer) => {
    const { toolCallId } = part;
    const call = begin(part);
    const returned = await call.returned;
    try {
      if (approval) await chat.addToolApprovalResponse(approval);
      await chat.addToolOutput({ tool: getToolName(part), toolCallId, ...returned });
    } finally {
      call.stage = "given";
    }
  };

  const tools: ClientTools = {
    has: (toolName) => Object.hasOwn(table, toolName),

    isRunning: (toolCallId) => calls.get(toolCallId)?.stage === "running",

    answer(messages, chat) {
      for (const part of lastStepTools(messages)) {
        const call = calls.get(part.toolCallId);
        if (mayRun(part)) {
          if (!call || call.stage === "seen") void handIn(part, chat);
        } else if (call?.stage === "given") {
          call.stage = "seen";
        }
      }
    },

    async approve(part, chat, reason) {
      if (part.state !== "approval-requested" || tools.isRunning(part.toolCallId)) return;
      const { id } = part.approval;
      await handIn(part, chat, { id, approved: true, ...(reason !== undefined && { reason }) });
    },

    shouldContinue: (chat) => shouldContinue(chat, tools),
  };
  return tools;
}

async function perform(run: ClientToolFunction | undefined, part: ToolPart): Promise<Returned> {
  try {
    if (!run) throw new Error(`This page has no tool ${getToolName(part)}.`);
    const output = await run(part.input as never, { toolCallId: part.toolCallId });
    // As it will travel: what the browser hands out is often no plain object.
    return { output: JSON.parse(JSON.stringify(output ?? null)) };
  } catch (error) {
    return { state: "output-error", errorText: messageOf(error) };
  }
}

/** The browser's own refusals, of the Geolocation API for one, are not always an `Error`. */
function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return (typeof message === "string" && message) || `The tool failed (${String(error)}).`;
}
