"""Calls of one model response: their order, their flags, and a denial beside an open call."""

from typing import Any

import pytest
from google.adk.events.event import Event

from adk_stream_protocol.convert.answers import match_answers
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.encode.endings import Failure
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import (
    Error,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputDenied,
)
from tests.support.events import (
    call,
    calls,
    echo,
    encoded,
    ended,
    event,
    notes,
    partial,
    pay_asked,
    pay_decided,
    response,
    text,
)

ALICE, BOB = {"to": "alice"}, {"to": "bob"}


def fits(call: Call, value: object) -> None:
    """Any output will do."""


def two_pays(*responses: Event) -> list[Event]:
    return [event(call("c1", "pay", args={}), call("c2", "pay", args={})), *responses]


@pytest.mark.parametrize(
    ("events", "new", "expected"),
    [
        (two_pays(), {"c2": BOB}, {"c2": BOB}),
        (two_pays(), {"c2": BOB, "c1": ALICE}, {"c1": ALICE, "c2": BOB}),
        (two_pays(event(response("c2", "pay", BOB))), {"c1": ALICE}, {"c1": ALICE, "c2": BOB}),
        ([], {"unknown": BOB}, {"unknown": BOB}),
    ],
)
def test_complete_responses_come_in_the_order_of_the_calls(
    events: list[Event], new: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert list(calls(events).in_call_order(new).items()) == list(expected.items())


def test_a_response_repeated_for_its_order_is_sent_once() -> None:
    known = calls(two_pays(event(response("c2", "pay", BOB))))
    encoder = TurnEncoder("m1", calls=known)
    both = event(response("c1", "pay", ALICE), response("c2", "pay", BOB), id="e2")
    assert [getattr(chunk, "tool_call_id", None) for chunk in encoder.encode(both)] == ["c1"]


@pytest.mark.parametrize(("style", "flag"), [("native", False), ("adk-tool", True)])
def test_only_the_native_style_shows_a_gated_call_to_the_helpers(style: Any, flag: bool) -> None:
    asked = event(call("c1", "pay", args={}), custom_metadata=notes(c1={"gated": True}))
    chunks = encoded(asked, approvals=style)
    assert chunks[1:3] == [
        ToolInputStart(tool_call_id="c1", tool_name="pay"),
        ToolInputAvailable(tool_call_id="c1", tool_name="pay", input={}, provider_executed=flag),
    ]


def test_a_denial_beside_an_open_browser_call_is_hidden_from_the_helpers() -> None:
    note = notes(c1={"gated": True}, b1={"browser": True})
    asked = event(call("c1", "pay", args={}), call("b1", "locate", args={}), custom_metadata=note)
    known = calls([asked])
    known.by_id["c1"].decision = False
    known.by_id["c1"].response = {"error": "no"}
    assert TurnEncoder("m1", calls=known).settle(known.by_id["c1"]) == [
        ended("c1", "denied"),
        ToolInputAvailable(tool_call_id="c1", tool_name="pay", input={}, provider_executed=True),
        ToolOutputDenied(tool_call_id="c1"),
    ]


def test_held_text_stays_held_when_a_turn_fails_with_a_request_open() -> None:
    encoder = TurnEncoder("m1", approvals="adk-tool", calls=calls(pay_asked()))
    encoder.encode(partial(text("Let me pay.")))
    failed = encoder.fail(Failure("internal"))
    assert [type(chunk) for chunk in failed] == [Error]


def test_a_repeat_of_an_unfinished_call_is_no_replay() -> None:
    plan = match_answers(calls(pay_decided(True)), (echo("c1", approved=True),), fits)
    assert [one.id for one in plan.unfinished] == ["c1"]
    assert plan.is_repeat and not plan.is_replay
