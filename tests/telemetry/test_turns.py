"""Turns and live runs: how they ended, and what is counted of them."""

import asyncio
from typing import Any

import pytest
from opentelemetry import trace

from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.protocol.chunks import AnyChunk, Error, Finish, TextDelta
from adk_stream_protocol.telemetry.turns import UNTRACED, LiveSessionTelemetry, TurnTelemetry
from tests.support.listener import Listener

ENDINGS: list[tuple[list[AnyChunk], str, str | None]] = [
    ([Finish(finish_reason="stop")], "done", None),
    ([Finish(finish_reason="tool-calls")], "waiting", None),
    ([Finish(finish_reason="other")], "stopped", None),
    ([Error(error_text="Sorry (we are). (model-busy, reference ab12)")], "failed", "model-busy"),
    ([], "refused", None),
]


@pytest.mark.parametrize(("closing", "outcome", "code"), ENDINGS)
def test_how_a_turn_ended(
    listener: Listener, closing: list[AnyChunk], outcome: str, code: str | None
) -> None:
    turn = TurnTelemetry("c", "r1", None)
    assert listener.measured("active_turns") == [({"adk_stream.live": False}, 1)]
    turn.end(closing, 7, code or "")
    found: dict[str, Any] = dict(listener.span("turn").attributes or {})
    assert found["adk_stream.outcome"] == outcome and found["adk_stream.turn.chunks"] == 7
    assert found.get("error.type") == code
    assert listener.span("turn").status.is_ok is (code is None)
    assert listener.measured("active_turns") == [({"adk_stream.live": False}, 0)]
    ((labels, _),) = listener.measured("turn_duration")
    assert labels == {"adk_stream.live": False, "adk_stream.outcome": outcome}
    assert listener.lines() == ["turn started", "turn ended"]


async def test_what_belongs_to_a_turn_runs_under_its_span(listener: Listener) -> None:
    turn = TurnTelemetry("c", "r1", None)

    async def work() -> trace.SpanContext:
        return trace.get_current_span().get_span_context()

    async def task() -> trace.SpanContext:
        turn.enter()
        return await work()

    with turn.span():
        before = await work()
    inside = await asyncio.create_task(task())
    assert not trace.get_current_span().get_span_context().is_valid
    turn.end([], 0, "")
    assert before == inside == listener.span("turn").context


async def test_an_error_before_the_task_is_for_the_caller_and_not_in_the_span(
    listener: Listener,
) -> None:
    turn = TurnTelemetry("c", "r1", None)

    with pytest.raises(ValueError), turn.span():
        raise ValueError("what the user said")
    turn.end([], 0, "")
    assert list(listener.span("turn").events) == []


def test_a_turn_is_linked_to_those_that_asked_before_it(listener: Listener) -> None:
    noted = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    turn = TurnTelemetry("c", "r1", None)
    turn.link_to(
        [
            Call("c1", "pay", {}, "i", "clerk", 1.0, ["c1"], traceparent=noted),
            Call("c2", "pay", {}, "i", "clerk", 1.0, ["c2"]),
        ]
    )
    turn.end([], 0, "")
    (link,) = listener.span("turn").links
    assert link.context.span_id == 0xB7AD6B7169203331
    assert dict(link.attributes or {}) == {"gen_ai.tool.call.id": "c1"}


RUNS: list[tuple[Exception | None, int, str]] = [
    (None, 0, "closed"),
    (ValueError("what the user said"), 0, "failed"),
    (None, 1, "parked"),
]


@pytest.mark.parametrize(("error", "waiting", "outcome"), RUNS)
def test_how_a_live_run_ended(
    listener: Listener, error: Exception | None, waiting: int, outcome: str
) -> None:
    run = LiveSessionTelemetry("c")
    turn = TurnTelemetry("c", "r1", run)
    turn.end([TextDelta(id="0", delta="x"), Finish(finish_reason="stop")], 2, "")
    assert listener.measured("active_live_sessions") == [({}, 1)]
    for _ in range(2):  # it ends once, whoever says so
        run.end(error, waiting)
    session = listener.span("live_session")
    assert (session.attributes or {})["adk_stream.outcome"] == outcome
    assert session.status.description == ("ValueError" if error else None)
    turn_span = listener.span("turn")
    assert turn_span.parent and session.context
    assert turn_span.parent.span_id == session.context.span_id
    assert listener.measured("active_live_sessions") == [({}, 0)]
    assert listener.lines()[-1] == f"live session {outcome}"


async def test_a_task_of_a_live_run_stands_under_it(listener: Listener) -> None:
    run = LiveSessionTelemetry("c")

    async def task() -> trace.SpanContext:
        run.enter()
        return trace.get_current_span().get_span_context()

    inside = await asyncio.create_task(task())
    run.end(None, 0)
    assert inside == listener.span("live_session").context


async def test_of_a_turn_of_another_process_nothing_is_told(listener: Listener) -> None:
    UNTRACED.enter()
    UNTRACED.link_to([])
    with UNTRACED.span():
        UNTRACED.end([], 0, "")
    assert (listener.spans(), listener.lines()) == ([], [])
