/** An unstyled card for a gated call. Style it by `className`, `data-slot`, `data-status` and `data-risk`. */
import { getToolName } from "ai";
import type { ReactNode } from "react";
import { useId } from "react";
import type { ApprovalArgument } from "../approval.js";
import type { ToolPart } from "../tool-parts.js";
import type { ToolApproval, ToolApprovalOptions } from "./use-tool-approval.js";
import { useToolApproval } from "./use-tool-approval.js";

export interface ApprovalCardProps extends ToolApprovalOptions {
  part: ToolPart;
  className?: string;
  /** What stands below the description, in place of the two buttons. */
  children?: ReactNode | ((approval: ToolApproval) => ReactNode);
  labels?: { approve?: string; deny?: string; cut?: string; lookAlike?: string };
}

/** Everything that comes from the model is put on the page as text. */
export function ApprovalCard(props: ApprovalCardProps): ReactNode {
  const { part, className, children, labels } = props;
  const titleId = useId();
  const state = useToolApproval(part, props);
  const { approval, status } = state;
  return (
    <section
      className={className}
      data-slot="approval"
      data-status={status}
      data-risk={approval?.risk}
      aria-labelledby={titleId}
    >
      <h3 id={titleId} data-slot="approval-title">
        {approval?.title ?? getToolName(part)}
      </h3>
      {approval?.hint && <p data-slot="approval-hint">{approval.hint}</p>}
      <Arguments shown={approval?.arguments ?? inputOf(part)} labels={labels} />
      <Content state={state} labels={labels}>
        {children}
      </Content>
    </section>
  );
}

type ArgumentsProps = { shown: ApprovalArgument[]; labels: ApprovalCardProps["labels"] };

function Arguments({ shown, labels }: ArgumentsProps) {
  const { cut = "…", lookAlike = "(look-alike letters)" } = labels ?? {};
  if (shown.length === 0) return null;
  return (
    <dl data-slot="approval-arguments">
      {shown.map((argument) => (
        <div key={argument.name} data-slot="approval-argument" data-kind={argument.kind}>
          <dt>{argument.name}</dt>
          <dd>
            {argument.value}
            {argument.cut && <span data-slot="approval-cut">{cut}</span>}
            {argument.lookAlike && <span data-slot="approval-look-alike">{lookAlike}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ContentProps extends Pick<ApprovalCardProps, "children"> {
  state: ToolApproval;
  labels: ApprovalCardProps["labels"] | undefined;
}

function Content({ state, labels, children }: ContentProps) {
  if (typeof children === "function") return children(state);
  if (children !== undefined) return children;
  if (state.status !== "waiting") return null;
  return (
    <div data-slot="approval-actions">
      {state.remaining !== undefined && (
        <span data-slot="approval-remaining" role="timer">
          {clock(state.remaining)}
        </span>
      )}
      <button type="button" data-slot="approval-deny" onClick={() => state.deny()}>
        {labels?.deny ?? "Deny"}
      </button>
      <button type="button" data-slot="approval-approve" onClick={() => state.approve()}>
        {labels?.approve ?? "Approve"}
      </button>
    </div>
  );
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The call's own input, where the server gives no description. */
function inputOf({ input }: ToolPart): ApprovalArgument[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).map(([name, value]) => ({
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
    kind: "string",
    cut: false,
  }));
}
