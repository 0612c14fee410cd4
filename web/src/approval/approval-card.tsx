/**
 * A call that a person has to approve, in all its states. Every text that comes from the model is put
 * on the page as text.
 */
import type { ApprovalRequest, ApprovalStatus, ToolPart } from "@adk-stream-protocol/client";
import { type ToolApprovalOptions, useToolApproval } from "@adk-stream-protocol/client/react";
import { getToolName } from "ai";
import { useEffect, useId, useRef } from "react";
import { Fields } from "../chat/fields";
import { ToolDetails } from "../chat/tool-details";
import { type Texts, useTexts } from "../i18n";
import { Icon, type IconName, isIconName } from "../ui/icons";
import { StatusPill, type Tone } from "../ui/status-pill";
import { Answer } from "./answer";
import { Countdown } from "./countdown";

type Props = ToolApprovalOptions & {
  part: ToolPart;
  /** Requests of the same message that wait for an answer. */
  waiting: number;
  readOnly: boolean;
};

export function ApprovalCard({ part, waiting, readOnly, ...options }: Props) {
  const texts = useTexts();
  const headingId = useId();
  const { status, approval, remaining, approve, deny } = useToolApproval(part, options);
  const heading = useFocusAfterAnswer(status);
  const title = titleOf(part, approval, texts);
  const isOpen = status === "waiting";
  return (
    <section
      className="approval"
      data-status={status}
      data-risk={approval?.risk ?? "medium"}
      aria-labelledby={headingId}
    >
      <header className="card-head">
        <span className="card-icon">
          <Icon name={iconOf(part, approval)} size={20} />
        </span>
        <h3 id={headingId} ref={heading} tabIndex={-1}>
          {title}
        </h3>
        <StatusPill tone={LOOKS[status].tone} icon={LOOKS[status].icon}>
          {texts.approval.states[status]}
        </StatusPill>
      </header>
      <p className="approval-plain">{plainWords(part, approval, texts)}</p>
      {isOpen && approval && <Fields rows={approval.arguments} />}
      {isOpen && <Warnings approval={approval} remaining={remaining} tool={getToolName(part)} />}
      {isOpen && !readOnly && <Answer title={title} onApprove={approve} onDeny={deny} />}
      {!isOpen && <Ending part={part} status={status} waiting={waiting} />}
    </section>
  );
}

type WarningsProps = {
  approval: ApprovalRequest | undefined;
  remaining: number | undefined;
  tool: string;
};

function Warnings({ approval, remaining, tool }: WarningsProps) {
  const texts = useTexts();
  if (!approval) return null;
  const hint = texts.approval.hints[tool] ?? approval.hint;
  return (
    <div className="warnings">
      <span className="risk" data-risk={approval.risk}>
        <Icon name={approval.risk === "low" ? "shield" : "alert"} size={15} />
        {texts.approval.risks[approval.risk]}
      </span>
      {hint && <span className="hint">{hint}</span>}
      {remaining !== undefined && <Countdown seconds={remaining} />}
    </div>
  );
}

type EndingProps = { part: ToolPart; status: ApprovalStatus; waiting: number };

function Ending({ part, status, waiting }: EndingProps) {
  const texts = useTexts();
  const { approval } = part as { approval?: { reason?: string } };
  return (
    <div className="approval-ending">
      <p>{texts.approval.explain[status]}</p>
      {(status === "failed" || status === "refused") && part.state === "output-error" && (
        <p className="tool-error">{part.errorText}</p>
      )}
      {approval?.reason && (
        <p className="reason">
          {texts.approval.reasonGiven}: <q>{approval.reason}</q>
        </p>
      )}
      {waiting > 0 && part.state === "approval-responded" && (
        <p className="muted">{texts.approval.others(waiting)}</p>
      )}
      <ToolDetails part={part} />
    </div>
  );
}

/** The buttons are gone after an answer, and the focus would be with them. */
function useFocusAfterAnswer(status: ApprovalStatus) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(status);
  useEffect(() => {
    const answered =
      before.current === "waiting" && ["approved", "denied", "running"].includes(status);
    if (answered) heading.current?.focus({ preventScroll: true });
    before.current = status;
  }, [status]);
  return heading;
}

const LOOKS: Record<ApprovalStatus, { tone: Tone; icon: IconName }> = {
  waiting: { tone: "attention", icon: "clock" },
  approved: { tone: "progress", icon: "pulse" },
  running: { tone: "progress", icon: "pulse" },
  denied: { tone: "neutral", icon: "slash" },
  expired: { tone: "neutral", icon: "clock" },
  cancelled: { tone: "neutral", icon: "slash" },
  withdrawn: { tone: "neutral", icon: "slash" },
  refused: { tone: "bad", icon: "slash" },
  done: { tone: "good", icon: "check" },
  failed: { tone: "bad", icon: "alert" },
  unknown: { tone: "warning", icon: "question" },
};

function titleOf(part: ToolPart, approval: ApprovalRequest | undefined, texts: Texts): string {
  const name = getToolName(part);
  return texts.approval.titles[name] ?? approval?.title ?? name;
}

function plainWords(part: ToolPart, approval: ApprovalRequest | undefined, texts: Texts): string {
  const tool = getToolName(part);
  const values = (approval?.arguments ?? []).map(
    ({ name, value }) => [name, short(value)] as const,
  );
  const inWords = texts.approval.plain[tool];
  return inWords ? inWords(Object.fromEntries(values)) : texts.approval.anyTool(tool);
}

/** In a sentence; the whole of it stands among the arguments. */
const short = (value: string): string => (value.length > 60 ? `${value.slice(0, 60)}…` : value);

function iconOf(part: ToolPart, approval: ApprovalRequest | undefined): IconName {
  if (approval?.icon && isIconName(approval.icon)) return approval.icon;
  return getToolName(part) === "get_location" ? "pin" : "shield";
}
