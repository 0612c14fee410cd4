"""What the model is told of a call, by the state of its record."""

from typing import Any

import pytest

from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.approvals.response import overlay, response_of
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Call
from tests.support.records import record

SETTLED: list[tuple[State, dict[str, Any]]] = [
    (State.DENIED, tool_responses.denied("too much")),
    (State.EXPIRED, tool_responses.expired()),
    (State.CANCELLED, tool_responses.cancelled()),
    (State.LAPSED, tool_responses.cancelled()),
    (State.WITHDRAWN, tool_responses.withdrawn()),
    (State.UNKNOWN, tool_responses.outcome_unknown()),
    (State.DONE, {"paid": 5}),
    (State.FAILED, {"paid": 5}),
]


@pytest.mark.parametrize(("state", "told"), SETTLED)
def test_a_settled_call_has_an_outcome(state: State, told: dict[str, Any]) -> None:
    assert response_of(record(state=state, reason="too much", result='{"paid": 5}')) == told


@pytest.mark.parametrize("state", [State.PENDING, State.APPROVED, State.EXECUTING])
def test_a_call_that_may_still_change_has_none(state: State) -> None:
    assert response_of(record(state=state)) is None


def test_a_call_that_left_no_result_has_an_empty_one() -> None:
    assert response_of(record(state=State.DONE)) == {}


def call(**fields: Any) -> Call:
    return Call("c", "pay", {}, "i", "clerk", 1.0, ["c"], approval_id="a", **fields)


def test_the_record_has_the_last_word() -> None:
    stored = call(decision=True)
    overlay(stored, record(state=State.PENDING))
    assert stored.waits_for_approval
    overlay(stored, record(state=State.DENIED, decided_at=7.0))
    assert (stored.decision, stored.asked_at) == (False, 7.0)
    overlay(stored, record(state=State.EXECUTING))
    assert (stored.decision, stored.asked_at) == (True, 7.0)


def test_what_the_model_was_told_stays_told() -> None:
    stored = call(response={"error": "first"})
    overlay(stored, record(state=State.EXPIRED))
    assert stored.response == {"error": "first"}
    untold = call()
    overlay(untold, record(state=State.EXPIRED))
    assert untold.response == tool_responses.expired()
