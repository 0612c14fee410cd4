declare const locate: () => Promise<unknown>;

import { clientTools, WebSocketChatTransport } from "@adk-stream-protocol/client";
import { ApprovalCard, useClientTools } from "@adk-stream-protocol/client/react";
import { useChat } from "@ai-sdk/react";
import { isToolUIPart } from "ai";
import { useState } from "react";

const transport = new WebSocketChatTransport({ url: "/live" });
const tools = clientTools({ get_location: { run: locate, approval: true } });

export function Page() {
  const [text, setText] = useState("");
  const chat = useChat({ transport, sendAutomaticallyWhen: tools.shouldContinue });
  useClientTools(tools, chat);

  function send() {
    chat.sendMessage({ text });
    setText("");
  }

  return (
    <main>
      {chat.messages.map((message) => (
        <article key={message.id}>
          {message.parts.map((part) => {
            if (part.type === "text") return part.text;
            if (!isToolUIPart(part)) return null;
            return (
              <ApprovalCard
                key={part.toolCallId}
                part={part}
                message={message}
                tools={tools}
                addToolOutput={chat.addToolOutput}
                addToolApprovalResponse={chat.addToolApprovalResponse}
              />
            );
          })}
        </article>
      ))}
      <input value={text} onChange={(event) => setText(event.target.value)} />
      <button type="button" onClick={send}>
        Send
      </button>
    </main>
  );
}
