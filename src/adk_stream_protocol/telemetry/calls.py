"""Telemetry of gated calls and of browser calls.

A request may wait for days, and who answers it may be another process. So no span is held open for
a wait: it is written when the wait ends, from when the record says it began. It stands under the
span that asked, which the event of the request names for those who did not see it.
"""

import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from opentelemetry import trace

from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.tool_responses import outcome_code
from adk_stream_protocol.telemetry import instruments as instruments
from adk_stream_protocol.telemetry.instruments import log_event

MAX_ASKED = 4096
_WORDS = {
    "request": "requested",
    "approve": "approved",
    "deny": "denied",
    "resume": "resumed",
    "mismatch": "refused: a client showed other arguments",
    "claim": "claimed",
    "result": "done",
    "fail": "failed",
    "unknown": "outcome unknown",
    "cancel": "cancelled",
    "withdraw": "withdrawn",
    "expire": "expired",
}


class CallTelemetry:
    """Report every change of an approval record."""

    def __init__(self) -> None:
        self._asked: dict[str, trace.SpanContext] = {}
        """The spans that open requests were made in, by approval id; the oldest are forgotten."""

    def created(self, record: ApprovalRecord, entry: AuditEntry) -> None:
        """Report that a person is about to be asked."""
        self._keep(record.id, trace.get_current_span().get_span_context())
        instruments.open_approvals.add(1, {instruments.TOOL: record.tool})
        _told(record, entry)

    def moved(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> None:
        """Report that a record changed."""
        _told(after, entry)
        if before.state is State.PENDING and after.state is not State.PENDING:
            self._waited(after, entry.at)
        if after.is_settled:
            instruments.gated_calls.add(1, _labels(after))

    def recall(self, calls: Iterable[Call]) -> None:
        """Read from the session which spans have asked for those of the calls that wait."""
        for call in calls:
            if call.approval_id and call.traceparent and call.waits_for_approval:
                self._keep(call.approval_id, instruments.noted_span(call.traceparent))

    def _keep(self, approval_id: str, span: trace.SpanContext) -> None:
        if span.is_valid:
            while len(self._asked) >= MAX_ASKED:
                del self._asked[next(iter(self._asked))]
            self._asked[approval_id] = span

    def _waited(self, record: ApprovalRecord, now: float) -> None:
        ended = min(now, record.expires)
        labels = _labels(record)
        instruments.open_approvals.add(-1, {instruments.TOOL: record.tool})
        instruments.decision_duration.record(max(0.0, ended - record.created), labels)
        instruments.span_of_the_past(
            f"await_approval {record.tool}",
            self._asked.pop(record.id, trace.INVALID_SPAN_CONTEXT),
            (record.created, ended),
            {instruments.OPERATION: "await_approval", **_ids(record), **labels},
        )


def _labels(record: ApprovalRecord) -> dict[str, str]:
    return {instruments.TOOL: record.tool, instruments.OUTCOME: record.state.value}


def _ids(record: ApprovalRecord) -> dict[str, str]:
    return {
        instruments.CONVERSATION: record.session,
        instruments.INVOCATION: record.invocation_id,
        instruments.CALL: record.call_id,
        instruments.APPROVAL: record.id,
        instruments.TOOL: record.tool,
    }


def _told(record: ApprovalRecord, entry: AuditEntry) -> None:
    what = f"approval {_WORDS[entry.event]}"
    span = trace.get_current_span()
    if span.is_recording():
        span.add_event(what, _ids(record))
    log_event(
        what,
        chat_id=record.session,
        approval_id=record.id,
        call_id=record.call_id,
        tool=record.tool,
        state=record.state.value,
        seconds=round(max(0.0, entry.at - record.created), 3),
    )


def browser_call_ended(chat_id: str, call: Call, response: dict[str, Any]) -> None:
    """Report that a call which the browser may run has its result, or will have none."""
    if not call.browser or (call.approval_id and not call.decision):
        return
    outcome, now = outcome_code(response) or "done", time.time()
    seconds = max(0.0, now - call.asked_at)
    labels = {instruments.TOOL: call.name, instruments.OUTCOME: outcome}
    instruments.browser_call_duration.record(seconds, labels)
    ids = {
        instruments.CONVERSATION: chat_id,
        instruments.INVOCATION: call.invocation_id,
        instruments.CALL: call.id,
    }
    instruments.span_of_the_past(
        f"browser_call {call.name}",
        instruments.noted_span(call.traceparent),
        (call.asked_at, now),
        {instruments.OPERATION: "browser_call", **ids, **labels},
    )
    log_event(
        f"browser call {outcome}",
        chat_id=chat_id,
        call_id=call.id,
        tool=call.name,
        seconds=round(seconds, 3),
    )


@contextmanager
def gate_span(tool: BaseTool, tool_context: ToolContext) -> Generator[trace.Span]:
    """Open the span in which the gate decides about a call. In a live run that includes the wait.

    The gate notes its decision on the span as OUTCOME.
    """
    with instruments.tracer.start_as_current_span(
        f"approval_gate {tool.name}",
        attributes={
            instruments.OPERATION: "approval_gate",
            instruments.CONVERSATION: tool_context.session.id,
            instruments.INVOCATION: tool_context.invocation_id,
            instruments.CALL: tool_context.function_call_id or "",
            instruments.TOOL: tool.name,
        },
        record_exception=False,
        set_status_on_exception=False,  # what is raised may hold arguments
    ) as span:
        yield span
