"""What the answers of a person or a browser bring, before the model goes on."""

from typing import Any

import pytest
from google.adk.events.event import Event

from adk_stream_protocol.convert.answers import Decision, Plan
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    FinishStep,
    StartStep,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolOutputAvailable,
    ToolOutputDenied,
)
from tests.support.events import (
    calls,
    ended,
    event,
    finish,
    locate_asked,
    pay_asked,
    response,
)

LOCATE = ToolInputAvailable(tool_call_id="b1", tool_name="locate", input={})
TAIL = [StartStep(), FinishStep(), finish()]


def output(call_id: str, value: Any) -> ToolOutputAvailable:
    return ToolOutputAvailable(tool_call_id=call_id, output=value)


def test_go_sends_the_input_of_the_call_again() -> None:
    known = calls(locate_asked(approvalId="a1", approved=True))
    encoder = TurnEncoder("m1", calls=known)
    assert [*encoder.go(known.by_id["b1"]), *encoder.finish()] == [LOCATE, finish("tool-calls")]


def test_asking_again_sends_input_and_request_again() -> None:
    known = calls(locate_asked(approvalId="a1"))
    encoder = TurnEncoder("m1", calls=known)
    request = ToolApprovalRequest(approval_id="a1", tool_call_id="b1")
    plan = Plan(early_results=[(known.by_id["b1"], 7)])
    chunks = [*encoder.answers(plan), *encoder.finish()]
    assert chunks == [LOCATE, request, finish("tool-calls")]


def settled(value: dict[str, Any], events: list[Event]) -> tuple[TurnEncoder, list[AnyChunk]]:
    known = calls(events)
    known.by_id["b1"].response = value
    encoder = TurnEncoder("m1", calls=known)
    return encoder, encoder.settle(known.by_id["b1"])


def test_settling_sends_the_result_and_a_step_after_it() -> None:
    encoder, chunks = settled({"x": 1}, locate_asked())
    assert [*chunks, *encoder.finish()] == [output("b1", {"x": 1}), *TAIL]


def test_settling_a_denied_call_sends_the_denial() -> None:
    encoder, chunks = settled({"error": "no"}, locate_asked(approvalId="a1", approved=False))
    denied = [ended("b1", "denied"), ToolOutputDenied(tool_call_id="b1")]
    assert [*chunks, *encoder.finish()] == [*denied, *TAIL]


def test_a_stop_after_a_result_sends_a_step_after_it() -> None:
    encoder, chunks = settled({"x": 1}, locate_asked())
    tail = [StartStep(), FinishStep(), finish("other")]
    assert [*chunks, *encoder.stop()] == [output("b1", {"x": 1}), *tail]


def test_a_stop_while_another_call_waits_leaves_its_step_the_last() -> None:
    encoder, chunks = settled({"x": 1}, [*locate_asked(), *pay_asked()])
    assert [*chunks, *encoder.stop()] == [output("b1", {"x": 1}), finish("other")]


@pytest.mark.parametrize("approved", [True, False])
def test_a_decision_is_told_in_the_older_style_only(approved: bool) -> None:
    known = calls(pay_asked())
    older = TurnEncoder("m1", calls=known, approvals="adk-tool")
    assert TurnEncoder("m1", calls=known).decided(known.by_id["c1"], approved) == []
    assert older.decided(known.by_id["c1"], approved) == [output("a1", {"confirmed": approved})]


def test_answers_show_decisions_then_results_then_go_signals() -> None:
    known = calls(pay_asked(), locate_asked("b1"), locate_asked("b2", approvalId="a2"))
    pay, here, there = (known.by_id[name] for name in ("c1", "b1", "b2"))
    plan = Plan(
        decisions=[Decision(pay, True, None), Decision(there, True, None)],
        results=[(here, {"x": 1})],
        may_run_in_browser=[there],
    )
    encoder = TurnEncoder("m1", calls=known, approvals="adk-tool")
    assert encoder.answers(plan) == [
        output("a1", {"confirmed": True}),
        output("a2", {"confirmed": True}),
        output("b1", {"x": 1}),
        ToolInputAvailable(tool_call_id="b2", tool_name="locate", input={}),
    ]
    assert here.response == {"x": 1}


def test_a_result_that_the_client_has_not_seen_is_shown_again() -> None:
    known = calls(locate_asked())
    known.by_id["b1"].response = {"x": 1}
    plan = Plan(repeated=[known.by_id["b1"]], unacknowledged=[known.by_id["b1"]])
    encoder = TurnEncoder("m1", calls=known)
    assert [*encoder.answers(plan), *encoder.finish()] == [output("b1", {"x": 1}), *TAIL]


def test_a_replay_shows_the_decision_and_all_that_came_of_it() -> None:
    known = calls(pay_asked(), locate_asked())
    pay = known.by_id["c1"]
    pay.decision = True
    encoder = TurnEncoder("m1", calls=known, approvals="adk-tool")
    paid = event(response("c1", "pay", {"paid": 5}), id="e9")
    plan = Plan(repeated=[pay, known.by_id["b1"]])
    assert encoder.replay(plan, [paid]) == [
        output("a1", {"confirmed": True}),
        ToolOutputAvailable(tool_call_id="c1", output={"paid": 5}, provider_executed=True),
    ]
