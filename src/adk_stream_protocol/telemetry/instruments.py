"""The spans, metrics and log lines of this package: their names, and what they may say.

Only OpenTelemetry's API is used, and Python's `logging`: what becomes of it is the application's
set-up. A value here is an id, the name of a tool, a count, seconds or a word of ours. Texts,
arguments, results, reasons, tokens and the names of people are never among them.
"""

import logging
from collections.abc import Mapping
from importlib.metadata import version

from opentelemetry import context, metrics, trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

SCOPE = "adk_stream_protocol"
# ADK's and OpenTelemetry's own names, where they have one.
OPERATION, CONVERSATION = "gen_ai.operation.name", "gen_ai.conversation.id"
TOOL, CALL = "gen_ai.tool.name", "gen_ai.tool.call.id"
INVOCATION, ERROR_TYPE = "gcp.vertex.agent.invocation_id", "error.type"
APPROVAL, OUTCOME, LIVE = "adk_stream.approval.id", "adk_stream.outcome", "adk_stream.live"
REFERENCE, CHUNKS = "adk_stream.turn.reference", "adk_stream.turn.chunks"
WHY = "adk_stream.reason"

Attributes = Mapping[str, str | bool | int | float]

tracer = trace.get_tracer(SCOPE, version("adk-stream-protocol"))
_meter = metrics.get_meter(SCOPE, version("adk-stream-protocol"))
_logger = logging.getLogger(f"{SCOPE}.events")
_w3c = TraceContextTextMapPropagator()

# As ADK has them for an agent's run; a person takes longer.
_RUN_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6)
_WAIT_SECONDS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 86400.0)

active_turns = _meter.create_up_down_counter(
    "adk_stream.active_turns", "{turn}", "Turns that are running."
)
turn_duration = _meter.create_histogram(
    "adk_stream.turn.duration",
    "s",
    "From the request to the end of its turn, which may be a wait.",
    explicit_bucket_boundaries_advisory=_RUN_SECONDS,
)
active_live_sessions = _meter.create_up_down_counter(
    "adk_stream.active_live_sessions", "{session}", "Live runs that are open."
)
open_approvals = _meter.create_up_down_counter(
    "adk_stream.open_approvals", "{approval}", "Requests that wait for a person."
)
decision_duration = _meter.create_histogram(
    "adk_stream.approval.decision.duration",
    "s",
    "From a request to its decision, or to its end without one.",
    explicit_bucket_boundaries_advisory=_WAIT_SECONDS,
)
gated_calls = _meter.create_counter(
    "adk_stream.gated_calls", "{call}", "What became of calls that a person was asked about."
)
browser_call_duration = _meter.create_histogram(
    "adk_stream.browser_call.duration",
    "s",
    "From a call that the browser may run to its result, or to its end without one.",
    explicit_bucket_boundaries_advisory=_WAIT_SECONDS,
)
replayed_chunks = _meter.create_counter(
    "adk_stream.replayed_chunks", "{chunk}", "Chunks that a resuming reader got once more."
)
dropped_chunks = _meter.create_counter(
    "adk_stream.dropped_chunks", "{chunk}", "Chunks that waited for a reader who did not take them."
)


def log_event(what: str, **fields: object) -> None:
    """Log one line. The fields become attributes of its log record."""
    if _logger.isEnabledFor(logging.INFO):
        _logger.info(what, extra=fields)


def traceparent() -> dict[str, str]:
    """Note the current span so that it outlives the process; empty where nobody traces."""
    carrier: dict[str, str] = {}
    if trace.get_current_span().get_span_context().is_valid:
        _w3c.inject(carrier)
    return {name: value for name, value in carrier.items() if name == "traceparent"}


def noted_span(noted: str | None) -> trace.SpanContext:
    """Read the span of such a note; an invalid one without it."""
    found = _w3c.extract({"traceparent": noted}, context.Context()) if noted else context.Context()
    return trace.get_current_span(found).get_span_context()


def span_of_the_past(
    name: str,
    under: trace.SpanContext,
    seconds: tuple[float, float],
    attributes: Attributes,
) -> None:
    """Record a span from one point of time to another, which no process held open.

    It stands under the span that began it and is linked to the one that ended it.
    """
    began, ended = (int(moment * 1e9) for moment in seconds)
    here = trace.get_current_span().get_span_context()
    parent = trace.set_span_in_context(trace.NonRecordingSpan(under), context.Context())
    span = tracer.start_span(
        name,
        parent if under.is_valid else context.Context(),
        attributes=dict(attributes),
        links=[trace.Link(here)] if here.is_valid else [],
        start_time=began,
    )
    span.end(max(began, ended))
