export type { ApprovalCardProps } from "./approval-card.js";
export { ApprovalCard } from "./approval-card.js";
export type { ChatWithTools } from "./use-client-tools.js";
export { useClientTools } from "./use-client-tools.js";
export type { ToolApproval, ToolApprovalOptions } from "./use-tool-approval.js";
export { useToolApproval } from "./use-tool-approval.js";
