import { useMemo } from "react";
import { useStable } from "../ui/stable";
import { Announcer } from "./announcer";
import { Composer } from "./composer";
import { MessageList } from "./message-list";
import { Notices } from "./notices";
import { type ConversationOptions, useConversation } from "./use-conversation";

type Props = ConversationOptions & {
  /** Out of sight, and still going on. */
  hidden: boolean;
  isMuted: boolean;
  /** The first message makes a chat worth keeping. */
  onSend: () => void;
};

export function ChatView({ hidden, isMuted, onSend, ...options }: Props) {
  const conversation = useConversation(options);
  const { messages, status } = conversation;
  const addToolOutput = useStable(conversation.addToolOutput);
  const addToolApprovalResponse = useStable(conversation.addToolApprovalResponse);
  const answers = useMemo(
    () => ({ addToolOutput, addToolApprovalResponse }),
    [addToolOutput, addToolApprovalResponse],
  );
  const busy = status === "submitted" || status === "streaming";
  const send = (text: string) => {
    onSend();
    conversation.send(text);
  };
  return (
    <main className="chat" hidden={hidden}>
      <MessageList
        messages={messages}
        status={status}
        tools={options.tools}
        answers={answers}
        onPick={send}
      />
      <div className="dock">
        <Notices conversation={conversation} isMuted={isMuted} />
        <Composer
          busy={busy}
          disabled={conversation.isLost || conversation.isTakenOver}
          onSend={send}
          onStop={conversation.stop}
        />
      </div>
      <Announcer messages={messages} status={status} />
    </main>
  );
}
