"""Telemetry of turns and live runs: one span, metrics, a log line at start and end."""

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from opentelemetry import context, trace

from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.protocol.chunks import AnyChunk, Error, Finish
from adk_stream_protocol.telemetry import instruments as instruments
from adk_stream_protocol.telemetry.instruments import log_event

# One for each kind of turn: nothing is built per turn.
_KINDS: dict[bool, dict[str, bool]] = {live: {instruments.LIVE: live} for live in (False, True)}


class Entered(Protocol):
    """A span that a task may run under."""

    def enter(self) -> None:
        """Let ADK's spans, and the tools', stand under this one from now on."""
        ...


class Untraced:
    """A turn that is only read here: the process that runs it tells of it."""

    __slots__ = ()

    def enter(self) -> None:
        """Let ADK's spans stand under this one. The context is the task's own and ends with it."""

    def span(self) -> AbstractContextManager[object]:
        """Enter the span of the turn for what belongs to it before its own task runs."""
        return nullcontext()

    def link_to(self, calls: Iterable[Call]) -> None:
        """Link the turn to those that made these calls, perhaps in another process."""

    def end(self, closing: list[AnyChunk], chunks: int, error_code: str) -> None:
        """Report that it ends with these chunks, how many it had in all, and why it failed."""


UNTRACED = Untraced()


class LiveSessionTelemetry:
    """One live run, from its first message until nobody needs it."""

    def __init__(self, chat_id: str) -> None:
        self._chat_id = chat_id
        span = instruments.tracer.start_span(
            "live_session",
            attributes={instruments.OPERATION: "live_session", instruments.CONVERSATION: chat_id},
        )
        self._span = span
        self._since = time.perf_counter()
        self.context = trace.set_span_in_context(span)
        self._is_over = False
        instruments.active_live_sessions.add(1)
        log_event("live session opened", chat_id=chat_id)

    def enter(self) -> None:
        """Let ADK's spans stand under this one. The context is the task's own and ends with it."""
        context.attach(self.context)

    def end(self, error: Exception | None, waiting: int) -> None:
        """Report its end. Calls that still wait are parked: a decision runs them by a request."""
        if self._is_over:
            return
        self._is_over = True
        outcome = "parked" if waiting else "failed" if error else "closed"
        self._span.set_attribute(instruments.OUTCOME, outcome)
        if error:
            _fail(self._span, str(getattr(error, "code", "") or type(error).__name__))
        self._span.end()
        instruments.active_live_sessions.add(-1)
        seconds = round(time.perf_counter() - self._since, 3)
        log_event(
            f"live session {outcome}", chat_id=self._chat_id, seconds=seconds, waiting=waiting
        )


class TurnTelemetry(Untraced):
    """One turn. In a live run it stands beside ADK's spans, as they outlast it."""

    __slots__ = ("_chat_id", "_kind", "_live", "_reference", "_since", "_span")

    def __init__(self, chat_id: str, reference: str, run: LiveSessionTelemetry | None) -> None:
        self._chat_id = chat_id
        self._reference = reference
        self._live = run is not None
        self._kind = _KINDS[self._live]
        self._since = time.perf_counter()
        self._span = instruments.tracer.start_span(
            "turn",
            run.context if run else None,
            attributes={
                instruments.OPERATION: "turn",
                instruments.CONVERSATION: chat_id,
                instruments.REFERENCE: reference,
                instruments.LIVE: self._live,
            },
        )
        instruments.active_turns.add(1, self._kind)
        log_event("turn started", chat_id=chat_id, turn=reference, live=self._live)

    def enter(self) -> None:
        context.attach(trace.set_span_in_context(self._span))

    def span(self) -> AbstractContextManager[object]:
        return trace.use_span(self._span, record_exception=False, set_status_on_exception=False)

    def link_to(self, calls: Iterable[Call]) -> None:
        for call in calls:
            asking = instruments.noted_span(call.traceparent)
            if asking.is_valid:
                self._span.add_link(asking, {instruments.CALL: call.id})

    def end(self, closing: list[AnyChunk], chunks: int, error_code: str) -> None:
        outcome = _outcome(closing)
        self._span.set_attribute(instruments.OUTCOME, outcome)
        self._span.set_attribute(instruments.CHUNKS, chunks)
        if error_code:
            _fail(self._span, error_code)
        self._span.end()
        seconds = time.perf_counter() - self._since
        instruments.active_turns.add(-1, self._kind)
        instruments.turn_duration.record(seconds, {**self._kind, instruments.OUTCOME: outcome})
        log_event(
            "turn ended",
            chat_id=self._chat_id,
            turn=self._reference,
            live=self._live,
            outcome=outcome,
            chunks=chunks,
            seconds=round(seconds, 3),
            **({"error": error_code} if error_code else {}),
        )


def _fail(span: trace.Span, code: str) -> None:
    span.set_attribute(instruments.ERROR_TYPE, code)
    span.set_status(trace.StatusCode.ERROR, code)


def _outcome(closing: list[AnyChunk]) -> str:
    """Tell how a turn ended, by its last chunk."""
    match closing[-1] if closing else None:
        case Error():
            return "failed"
        case Finish(finish_reason="tool-calls"):
            return "waiting"
        case Finish(finish_reason="other"):
            return "stopped"
        case None:
            return "refused"
        case _:
            return "done"
