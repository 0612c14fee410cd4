/** The messages of the demo, with the data parts that this server adds. */
import type { ApprovalRequest, Outcome } from "@adk-stream-protocol/client";
import type { UIMessage } from "ai";

export type Metadata = { usage?: { totalTokens?: number }; modelVersion?: string };

export type ChatMessage = UIMessage<
  Metadata,
  {
    approval: ApprovalRequest;
    outcome: { toolCallId: string; outcome: Outcome };
    agent: { from: string; to: string };
  }
>;
export type MessagePart = ChatMessage["parts"][number];
