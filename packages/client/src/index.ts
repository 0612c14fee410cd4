export type { ApprovalArgument, ApprovalRequest, ApprovalStatus } from "./approval.js";
export { findApproval } from "./approval.js";
export type {
  ApprovalAnswer,
  ClientTool,
  ClientToolFunction,
  ClientTools,
  ToolAnswers,
  ToolOutput,
} from "./client-tools.js";
export { clientTools } from "./client-tools.js";
export type { ConnectionState, ReconnectOptions } from "./connection.js";
export type { Outcome } from "./outcome.js";
export { findOutcome } from "./outcome.js";
export type { RunningCalls } from "./should-continue.js";
export { shouldContinue } from "./should-continue.js";
export type { WebSocketConstructor, WebSocketLike } from "./socket.js";
export { withSpokenMessages } from "./spoken-messages.js";
export type { ToolPart } from "./tool-parts.js";
export type { Resolvable, WebSocketChatTransportOptions } from "./websocket-chat-transport.js";
export { WebSocketChatTransport } from "./websocket-chat-transport.js";
