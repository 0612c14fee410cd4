declare const locate: () => Promise<unknown>;

import { clientTools, WebSocketChatTransport } from "@adk-stream-protocol/client";
import { ApprovalCard, useClientTools } from "@adk-stream-protocol/client/react";
import { useChat } from "@ai-sdk/react";
import { isToolUIPart } from "ai";

const transport = new WebSocketChatTransport({ url: "/live" });
const tools = clientTools({ get_location: { run: locate, approval: true } });

export function Page() {
  const chat = useChat({ transport, sendAutomaticallyWhen: tools.shouldContinue });
  useClientTools(tools, chat);
  const send = (form: FormData) => chat.sendMessage({ text: `${form.get("text")}` });
  const all = chat.messages.flatMap((message) => message.parts.map((part) => ({ message, part })));
  const shown = all.map(({ part, message }) => {
    if (!isToolUIPart(part)) return part.type === "text" ? part.text : null;
    return <ApprovalCard key={part.toolCallId} {...{ part, message, tools }} {...chat} />;
  });
  return <form action={send}>{[...shown, <input key="text" name="text" />]}</form>;
}
