"""What is told of gated calls and of browser calls.

A request may wait for days, and who answers it may be another process. So no span is held open for
a wait: it is written when the wait ends, from when the record says it began. It stands under the
span that asked, which the event of the request names for those who did not see it.
"""

import time
from collections.abc import Awaitable
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from opentelemetry import trace

from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.approvals.store import ApprovalStore, AuditEntry
from adk_stream_protocol.convert import outcomes
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.runtime import signals
from adk_stream_protocol.runtime.signals import tell

MAX_ASKED = 4096
_WORDS = {
    "request": "requested",
    "approve": "approved",
    "deny": "denied",
    "resume": "resumed",
    "claim": "claimed",
    "result": "done",
    "fail": "failed",
    "unknown": "outcome unknown",
    "cancel": "cancelled",
    "expire": "expired",
}


class ObservedMoves:
    """Writes to the store of approval records; each that succeeds is told of."""

    def __init__(self, store: ApprovalStore) -> None:
        self._store = store
        self._asked: dict[str, trace.SpanContext] = {}
        """The spans that open requests were made in, by approval id; the oldest are forgotten."""

    async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
        """A person is about to be asked."""
        created = await self._store.create(record, entry)
        if created is record:
            self._keep(record.id, trace.get_current_span().get_span_context())
            signals.open_approvals.add(1, {signals.TOOL: record.tool})
            _told(record, entry)
        return created

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        """Something happened to a record."""
        moved = await self._store.move(before, after, entry)
        if moved:
            self._moved(before, after, entry)
        return moved

    def recall(self, calls: list[Call]) -> None:
        """Read from the session which spans have asked for these."""
        for call in calls:
            if call.approval_id and call.traceparent and call.waits_for_approval:
                self._keep(call.approval_id, signals.noted_span(call.traceparent))

    def _keep(self, approval_id: str, span: trace.SpanContext) -> None:
        if span.is_valid:
            while len(self._asked) >= MAX_ASKED:
                del self._asked[next(iter(self._asked))]
            self._asked[approval_id] = span

    def _moved(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> None:
        _told(after, entry)
        if before.state is State.PENDING and after.state is not State.PENDING:
            self._waited(after, entry.at)
        if after.is_settled:
            signals.gated_calls.add(1, _labels(after))

    def _waited(self, record: ApprovalRecord, now: float) -> None:
        ended = min(now, record.expires)
        labels = _labels(record)
        signals.open_approvals.add(-1, {signals.TOOL: record.tool})
        signals.decision_duration.record(max(0.0, ended - record.created), labels)
        signals.span_of_the_past(
            f"await_approval {record.tool}",
            self._asked.pop(record.id, trace.INVALID_SPAN_CONTEXT),
            (record.created, ended),
            {signals.OPERATION: "await_approval", **_ids(record), **labels},
        )


def _labels(record: ApprovalRecord) -> dict[str, str]:
    return {signals.TOOL: record.tool, signals.OUTCOME: record.state.value}


def _ids(record: ApprovalRecord) -> dict[str, str]:
    return {
        signals.CONVERSATION: record.session,
        signals.INVOCATION: record.invocation_id,
        signals.CALL: record.call_id,
        signals.APPROVAL: record.id,
        signals.TOOL: record.tool,
    }


def _told(record: ApprovalRecord, entry: AuditEntry) -> None:
    what = f"approval {_WORDS[entry.event]}"
    span = trace.get_current_span()
    if span.is_recording():
        span.add_event(what, _ids(record))
    tell(
        what,
        chat_id=record.session,
        approval_id=record.id,
        call_id=record.call_id,
        tool=record.tool,
        state=record.state.value,
        seconds=round(max(0.0, entry.at - record.created), 3),
    )


def browser_call_ended(chat_id: str, call: Call, response: dict[str, Any]) -> None:
    """A call that the browser may run has its result, or will have none."""
    if not call.browser or (call.approval_id and not call.decision):
        return
    outcome, now = _outcome(response), time.time()
    seconds = max(0.0, now - call.asked_at)
    labels = {signals.TOOL: call.name, signals.OUTCOME: outcome}
    signals.browser_call_duration.record(seconds, labels)
    ids = {
        signals.CONVERSATION: chat_id,
        signals.INVOCATION: call.invocation_id,
        signals.CALL: call.id,
    }
    signals.span_of_the_past(
        f"browser_call {call.name}",
        signals.noted_span(call.traceparent),
        (call.asked_at, now),
        {signals.OPERATION: "browser_call", **ids, **labels},
    )
    tell(
        f"browser call {outcome}",
        chat_id=chat_id,
        call_id=call.id,
        tool=call.name,
        seconds=round(seconds, 3),
    )


def _outcome(response: dict[str, Any]) -> str:
    if response == outcomes.expired():
        return "expired"
    if response in (outcomes.cancelled(), outcomes.withdrawn()):
        return "cancelled"
    return "failed" if "error" in response else "done"


async def gated(
    tool: BaseTool,
    tool_context: ToolContext,
    deciding: Awaitable[dict[str, Any] | None],
    passed: str = "started",
) -> dict[str, Any] | None:
    """Let the gate decide about a call, under a span. In a live run that includes the wait."""
    with signals.tracer.start_as_current_span(
        f"approval_gate {tool.name}",
        attributes={
            signals.OPERATION: "approval_gate",
            signals.CONVERSATION: tool_context.session.id,
            signals.INVOCATION: tool_context.invocation_id,
            signals.CALL: tool_context.function_call_id or "",
            signals.TOOL: tool.name,
        },
        record_exception=False,
        set_status_on_exception=False,  # what is raised may hold arguments
    ) as span:
        found = await deciding
        span.set_attribute(signals.OUTCOME, passed if found is None else "stopped")
    return found
