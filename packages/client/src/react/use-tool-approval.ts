/** A gated call in a page: how far it is, what is asked, and the two answers. */
import type { UIMessage } from "ai";
import { getToolName } from "ai";
import { useEffect, useRef, useState } from "react";
import type { ApprovalRequest, ApprovalStatus } from "../approval.js";
import { approvalStatus, findApproval } from "../approval.js";
import type { ClientTools, ToolAnswers } from "../client-tools.js";
import { findOutcome } from "../outcome.js";
import type { ToolPart } from "../tool-parts.js";

export interface ToolApprovalOptions extends ToolAnswers {
  /** The message that holds the part: the server's description of the call stands beside it. */
  message: UIMessage;
  /** The table of browser tools, if there are any. Yes to one of them runs it. */
  tools?: ClientTools;
  /** False when the conversation has moved on and the request takes no answer any more. */
  open?: boolean;
}

export interface ToolApproval {
  status: ApprovalStatus;
  /** What the server says of the call. */
  approval: ApprovalRequest | undefined;
  /** Whole seconds until the request expires, while it waits. */
  remaining: number | undefined;
  approve(reason?: string): void;
  deny(reason?: string): void;
}

/** The first answer counts; clicks after it do nothing. */
export function useToolApproval(part: ToolPart, options: ToolApprovalOptions): ToolApproval {
  const { message, tools, open = true } = options;
  const isAsked = part.state === "approval-requested";
  const approval = findApproval(message, part);
  const remaining = useRemaining(isAsked && open ? approval?.expiresAt : undefined);
  const isExpired = remaining === 0;
  const [isRunning, setRunning] = useState(false);
  const isAnswered = useRef(false);
  useEffect(() => {
    if (!isAsked) isAnswered.current = false;
  }, [isAsked]);

  const answer = async (approved: boolean, reason?: string) => {
    if (part.state !== "approval-requested" || !open || isExpired || isAnswered.current) return;
    isAnswered.current = true;
    if (approved && tools?.has(getToolName(part))) {
      setRunning(true);
      await tools.approve(part, options, reason).finally(() => setRunning(false));
    } else {
      const { id } = part.approval;
      await options.addToolApprovalResponse({
        id,
        approved,
        ...(reason !== undefined && { reason }),
      });
    }
  };

  return {
    status: approvalStatus(part, {
      isExpired,
      isCancelled: !open,
      isRunning: isRunning || tools?.isRunning(part.toolCallId) === true,
      outcome: findOutcome(message, part),
    }),
    approval,
    remaining,
    approve: (reason) => void answer(true, reason),
    deny: (reason) => void answer(false, reason),
  };
}

function useRemaining(expiresAt = ""): number | undefined {
  const end = Date.parse(expiresAt);
  const isTicking = !Number.isNaN(end);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return isTicking ? Math.max(0, Math.ceil((end - now) / 1000)) : undefined;
}
