/** The SDK's Chat without React, as `useChat` builds it. */
import type { ChatInit, ChatState, ChatStatus, UIMessage } from "ai";
import { AbstractChat } from "ai";
import { until } from "./until.js";

class State implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  constructor(public messages: UIMessage[]) {}
  pushMessage = (message: UIMessage) => {
    this.messages = this.messages.concat(message);
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

export class TestChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ id: "chat", ...init, state: new State(messages) });
  }

  override set messages(messages: UIMessage[]) {
    this.state.messages = messages;
  }

  override get messages(): UIMessage[] {
    return this.state.messages;
  }

  /** What the assistant said, part by part. */
  get text(): string {
    const said = this.messages.filter(({ role }) => role === "assistant");
    const parts = said.flatMap((message) => message.parts);
    return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("|");
  }

  /** Its tool parts' states. */
  get calls(): unknown[] {
    return this.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => ("toolCallId" in part ? [part.state] : [])),
    );
  }

  async becomes(status: ChatStatus): Promise<void> {
    await until(() => this.status === status, `status ${status}`);
  }
}
