"""Stored conversations as UIMessages: the golden turns, and every way a call can stand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import CONFIRMATION, Calls
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.convert.events import NOTES
from adk_stream_protocol.convert.history.message_builder import MessageFold
from adk_stream_protocol.convert.history.ui_messages import Standing, message_prefix, ui_messages
from adk_stream_protocol.protocol.chunks import Error, Finish, Start
from tests.support.events import (
    ARGS,
    call,
    confirmation,
    event,
    locate_asked,
    pay_asked,
    pay_decided,
    response,
    text,
)
from tests.support.golden.record import TURNS
from tests.support.golden.wire_chunks import from_wire
from tests.support.stored_events import (
    PLACE,
    STEP,
    Json,
    answered,
    asked_to_pay,
    code,
    decided_to_pay,
    locate,
    messages,
    parts,
    pay,
    said,
    tools_of,
    user,
)

# Partial text of a turn that failed is not stored; parallel answers are stored one by one; and
# the answer of a location stands in the events, where the recorded reply begins after it. What was
# said aloud is a message of its own, and a live picture is stored before the words around it.
OTHERWISE = {
    *("model-dropped", "model-error", "parallel-agents", "location-answered"),
    *("live-heard", "live-image", "live-location-answered"),
}
FILES = [file for file in sorted(TURNS.glob("*.json")) if file.stem not in OTHERWISE]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_golden_turn_is_stored_as_it_was_streamed(file: Path) -> None:
    turn: Json = json.loads(file.read_text(encoding="utf-8"))
    fold = MessageFold("msg-u1")
    for chunks in (turn.get("asked", []), turn["chunks"]):
        fold.add(map(from_wire, chunks[1:]))
    streamed = fold.message()
    stored = [Event.model_validate(one) for one in [*turn.get("before", []), *turn["events"]]]
    found = messages(*(e for e in stored if not e.partial), approvals=turn["approvals"])
    unnamed = [message | {"id": "msg-u1"} for message in found[1:]]  # some carry the recorded id
    assert unnamed == ([_answered(streamed, stored)] if streamed["parts"] else [])


def _answered(message: Json, events: list[Event]) -> Json:
    """What the recorded turns lack: the client's own mark of what its user answered."""
    verdicts = {
        answer.id: (answer.response or {})["confirmed"]
        for one in events
        for answer in one.get_function_responses()
        if answer.name == CONFIRMATION
    }
    for part in message["parts"]:
        if (approval := part.get("approval")) and approval["id"] in verdicts:
            approval["approved"] = verdicts[approval["id"]]
        elif part["type"] == f"tool-{CONFIRMATION}" and part["toolCallId"] in verdicts:
            part["state"] = "output-available"
            part["output"] = {"confirmed": verdicts[part["toolCallId"]]}
    return message


def test_nothing_stored_is_nothing_to_show() -> None:
    assert ui_messages([], {}) == []
    assert [one["role"] for one in messages(event(id="e"))] == ["user"]


def test_what_the_agent_said_first_and_what_says_nothing() -> None:
    welcome = event(text("Welcome."), id="e1")
    state = event(id="e2", author="user", actions={"state_delta": {"a": 1}})
    (found,) = ui_messages([welcome, state], {})
    assert found["id"] == "msg-e1" and found["parts"] == [STEP, said("Welcome.")]


def test_messages_of_the_user() -> None:
    image = types.Part.from_bytes(data=b"x", mime_type="image/png")
    note = types.Part.from_bytes(data=b"hi", mime_type="text/plain")
    linked = types.Part.from_uri(file_uri="https://e.x/a.pdf", mime_type="application/pdf")
    (found,) = ui_messages([event(image, note, linked, text("see"), id="u1", author="user")], {})
    assert found == {
        "id": "u1",
        "role": "user",
        "parts": [
            {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,eA=="},
            {"type": "file", "mediaType": "text/plain", "url": "data:text/plain;base64,aGk="},
            {"type": "file", "mediaType": "application/pdf", "url": "https://e.x/a.pdf"},
            {"type": "text", "text": "see"},
        ],
    }


def test_the_message_in_the_making_is_left_out() -> None:
    running = {NOTES: {"messageId": "m2"}}
    events = [event(text("a")), user("more", "u2", custom_metadata=running), event(text("b"))]
    found = messages(*events, unfinished="m2")
    assert [(one["id"], one["role"]) for one in found] == [
        ("u1", "user"),
        ("msg-u1", "assistant"),
        ("u2", "user"),
    ]
    assert len(messages(*events, unfinished="")) == 4


def test_an_open_approval_is_open() -> None:
    shown = {"title": "Pay", "waitsFor": "clerk"}
    events = asked_to_pay(shown)
    asked = pay("approval-requested", approval={"id": "a1"})
    part: Json = {"type": "data-approval", "id": "a1", "data": {"toolCallId": "c1", **shown}}
    assert parts(*events) == [STEP, asked, part]
    part["data"] |= {"waitsFor": "boss"}
    assert parts(*events, standings={"c1": Standing(waits_for="boss")}) == [STEP, asked, part]
    assert shown["waitsFor"] == "clerk"


@pytest.mark.parametrize("first", [True, False])
def test_a_result_with_its_decision(first: bool) -> None:
    # ADK's stand-in comes before its request when a sibling has run, else after it.
    call_event, request, stand_in = asked_to_pay()
    asked = [call_event, *([stand_in, request] if first else [request, stand_in])]
    answer = answered("a1", CONFIRMATION, {"confirmed": True})
    done = event(response("c1", "pay", {"paid": 5}), id="e5")
    events = [*asked, answer, done, event(text("Paid."), id="e6")]
    part = pay("output-available", output={"paid": 5}, approval={"id": "a1", "approved": True})
    assert parts(*events) == [STEP, part, STEP, said("Paid.")]
    with_reason = {"c1": Standing(decision=True, reason="fine")}
    part["approval"]["reason"] = "fine"
    assert parts(*events, standings=with_reason) == [STEP, part, STEP, said("Paid.")]


def test_a_denial_with_its_reason() -> None:
    denied = event(response("c1", "pay", tool_responses.denied("no")), id="e5")
    found = parts(
        *decided_to_pay(False),
        denied,
        event(text("Sorry."), id="e6"),
        standings={"c1": Standing(decision=False, reason="no")},
    )
    approval = {"id": "a1", "approved": False, "reason": "no"}
    denied_pay = pay("output-denied", approval=approval)
    assert found == [STEP, denied_pay, code("denied"), STEP, said("Sorry.")]


@pytest.mark.parametrize("decision", [True, False])
def test_a_decision_whose_run_was_cut_off(decision: bool) -> None:
    responded = pay("approval-responded", approval={"id": "a1", "approved": decision})
    assert parts(*asked_to_pay(), standings={"c1": Standing(decision=decision)}) == [
        STEP,
        responded,
    ]
    assert parts(*decided_to_pay(decision)) == [STEP, responded]


@pytest.mark.parametrize(
    "outcome", [tool_responses.expired(), tool_responses.cancelled(), tool_responses.withdrawn()]
)
def test_a_request_that_nobody_answered_is_over(outcome: Json) -> None:
    found = parts(*asked_to_pay(), standings={"c1": Standing(outcome=outcome)})
    over = pay("output-error", errorText=outcome["error"])
    assert found == [STEP, over, code(outcome["outcome"]), STEP]
    told = [*asked_to_pay(), event(response("c1", "pay", outcome), id="e5")]
    assert parts(*told, standings={"c1": Standing(outcome=outcome)}) == found


@pytest.mark.parametrize(
    "response_of", [tool_responses.expired, tool_responses.cancelled, tool_responses.withdrawn]
)
def test_the_description_of_a_request_says_how_it_ended(response_of: Callable[[], Json]) -> None:
    """Whether the session was told of it, knows its words only, or leaves it to the record."""
    asked = asked_to_pay({"title": "Pay"})
    given = response_of()
    data = {"toolCallId": "c1", "title": "Pay", "outcome": given["outcome"]}
    over = pay("output-error", errorText=given["error"])
    expected = [STEP, over, {"type": "data-approval", "id": "a1", "data": data}, STEP]
    assert parts(*asked, standings={"c1": Standing(outcome=given)}) == expected
    assert parts(*asked, event(response("c1", "pay", given), id="e5")) == expected
    old = {"error": given["error"]}
    assert parts(*asked, event(response("c1", "pay", old), id="e5")) == expected


def test_an_approved_call_that_lapsed() -> None:
    lapsed = {"c1": Standing(decision=True, outcome=tool_responses.cancelled())}
    error = tool_responses.cancelled()["error"]
    part = pay("output-error", errorText=error, approval={"id": "a1", "approved": True})
    assert parts(*asked_to_pay(), standings=lapsed) == [STEP, part, code("cancelled"), STEP]


def test_one_of_two_over_leaves_the_other_open() -> None:
    events = [
        event(call("c1", "pay", args=ARGS), call("c2", "pay", args=ARGS)),
        event(confirmation("c1", "a1"), confirmation("c2", "a2"), id="q1"),
    ]
    found = parts(*events, standings={"c1": Standing(outcome=tool_responses.expired())})
    states = [part.get("state") for part in tools_of(found)]
    assert states == ["output-error", "approval-requested"]


def test_a_call_that_a_crash_left_without_result() -> None:
    asked = event(call("c1", "pay", args=ARGS))
    flagged: Json = {"providerExecuted": True}
    assert parts(asked) == [STEP, pay("input-available", **flagged)]
    cut = {"c1": Standing(outcome=tool_responses.cut_off())}
    over = pay("output-error", errorText=tool_responses.cut_off()["error"], **flagged)
    assert parts(asked, standings=cut) == [STEP, over, code("unknown"), STEP]


def test_an_open_browser_call_is_open() -> None:
    assert parts(*locate_asked()) == [STEP, locate("input-available")]


def test_a_browser_call_with_its_result() -> None:
    done = answered("b1", "locate", PLACE)
    found = parts(*locate_asked(), done, event(text("There."), id="e6"))
    assert found == [STEP, locate("output-available", output=PLACE), STEP, said("There.")]


def test_a_browser_call_that_nobody_ran_in_time() -> None:
    found = parts(*locate_asked(), standings={"b1": Standing(outcome=tool_responses.expired())})
    over = locate("output-error", errorText=tool_responses.expired()["error"])
    assert found == [STEP, over, code("expired", "b1"), STEP]


def test_a_gated_browser_call_from_request_to_result() -> None:
    asked = locate_asked(approvalId="a1")
    approved = {"b1": Standing(decision=True)}
    assert parts(*asked) == [STEP, locate("approval-requested", approval={"id": "a1"})]
    go = locate("input-available", approval={"id": "a1", "approved": True})
    assert parts(*asked, standings=approved) == [STEP, go]
    done = [answered("b1", "locate", PLACE), event(text("There."), id="e6")]
    located = locate("output-available", output=PLACE, approval=go["approval"])
    assert parts(*asked, *done, standings=approved) == [STEP, located, STEP, said("There.")]


def test_a_gated_browser_call_that_was_denied() -> None:
    denied = {"b1": Standing(decision=False)}
    approval = {"id": "a1", "approved": False}
    asked = locate_asked(approvalId="a1")
    assert parts(*asked, standings=denied) == [
        STEP,
        locate("approval-responded", approval=approval),
    ]
    told = answered("b1", "locate", tool_responses.denied(None))
    assert parts(*asked, told, standings=denied) == [
        STEP,
        locate("output-denied", approval=approval),
        code("denied", "b1"),
        STEP,
    ]


STYLE: ApprovalStyleName = "adk-tool"


def dialog(*events: Event, **options: Any) -> tuple[Json, Json, list[str]]:
    """The card of the call, that of its confirmation, and the texts."""
    found = parts(*events, approvals=STYLE, **options)
    one, two = tools_of(found)
    return one, two, [part["text"] for part in found if part["type"] == "text"]


def test_confirmations_as_calls_hold_the_text_back() -> None:
    asked = [event(text("Wait."), call("c1", "pay", args=ARGS)), *pay_asked()[1:]]
    one, two, texts = dialog(*asked)
    assert (one["state"], two["state"], texts) == ("input-available", "input-available", [])
    answer = answered("a1", CONFIRMATION, {"confirmed": True})
    done = [event(response("c1", "pay", {"paid": 5}), id="e5"), event(text("Paid."), id="e6")]
    one, two, texts = dialog(*asked, answer, *done)
    assert (one["output"], two["output"]) == ({"paid": 5}, {"confirmed": True})
    assert texts == ["Wait.", "Paid."] and "approval" not in one


def test_confirmations_as_calls_are_answered_once() -> None:
    answer = answered("a1", CONFIRMATION, {"confirmed": True})
    done = event(response("c1", "pay", {"paid": 5}), id="e5")
    one, two, texts = dialog(
        event(text("Wait."), call("c1", "pay", args=ARGS)), *pay_asked()[1:], answer, answer, done
    )
    assert (one["state"], two["state"], texts) == ("output-available",) * 2 + (["Wait."],)


def test_confirmations_as_calls_are_over_with_their_call() -> None:
    one, two, _ = dialog(*pay_asked(), standings={"c1": Standing(outcome=tool_responses.expired())})
    assert one["errorText"] == tool_responses.expired()["error"]
    assert (two["state"], two["output"]) == ("output-available", {"confirmed": False})


@pytest.mark.parametrize("approvals", ["native", "adk-tool"])
def test_a_running_message_is_replayed_from_its_first_chunk(approvals: ApprovalStyleName) -> None:
    """What it held before the turn and what the turn brings make the message that is stored."""
    before = pay_asked()
    result = event(response("c1", "pay", {"paid": 1}), id="e9")
    turn = TurnEncoder("m1", approvals=approvals, calls=Calls.of(pay_decided(True)))
    fold = MessageFold("m1")
    fold.add(message_prefix(before, approvals))
    asked = fold.message()
    assert asked["parts"][1]["toolCallId"] == "c1"
    fold.add([*turn.encode(result), *turn.finish()])
    assert fold.tool("c1") is not None and (fold.tool("c1") or {})["state"] == "output-available"
    framing = (Start, Finish, Error)
    assert not any(isinstance(one, framing) for one in message_prefix(before, approvals))
