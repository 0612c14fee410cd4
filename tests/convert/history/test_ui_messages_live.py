"""Stored live runs as UIMessages: one invocation, many messages, results that come late."""

from typing import Any

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.calls import CONFIRMATION
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.events import NOTES
from adk_stream_protocol.convert.history.ui_messages import Standing, ui_messages
from tests.support.events import ARGS, call, event, notes, pay_asked, response, text
from tests.support.stored_events import (
    PLACE,
    STEP,
    answered,
    locate,
    messages,
    parts,
    pay,
    said,
    user,
)


def spoke(value: str, id: str, **fields: Any) -> Event:
    heard = types.Transcription(text=value, finished=True)
    return event(id=id, output_transcription=heard, **fields)


def heard(value: str, id: str) -> Event:
    said = types.Transcription(text=value, finished=True)
    return event(id=id, author="user", input_transcription=said)


def over(id: str) -> Event:
    return event(id=id, turn_complete=True)


def test_spoken_turns_of_one_live_run() -> None:
    found = ui_messages(
        [
            heard("Hi", "h1"),
            spoke("Hello ", "e1"),
            spoke("there.", "e2"),
            over("t1"),
            heard("Bye", "h2"),
            spoke("Bye.", "e3"),
            over("t2"),
        ],
        {},
    )
    assert [(one["id"], one["parts"]) for one in found] == [
        ("h1", [{"type": "text", "text": "Hi"}]),
        ("msg-h1", [STEP, said("Hello there.")]),
        ("h2", [{"type": "text", "text": "Bye"}]),
        ("msg-h2", [STEP, said("Bye.")]),
    ]


def test_what_a_live_model_says_while_a_call_waits_stays_in_the_step_of_the_call() -> None:
    # The stock helpers look at the calls of the last step only.
    asked = event(
        call("c1", "pay", args=ARGS),
        id="e1",
        custom_metadata=notes(c1={"gated": True, "approvalId": "a1"}),
    )
    waiting = [asked, event(text("Please look."), id="e2"), over("t1")]
    open_call = pay("approval-requested", approval={"id": "a1"})
    assert parts(*waiting) == [STEP, open_call, said("Please look.")]
    done = [event(response("c1", "pay", {"paid": 5}), id="e3"), event(text("Paid."), id="e4")]
    approval = {"id": "a1", "approved": True}
    paid = pay("output-available", output={"paid": 5}, approval=approval)
    found = parts(*waiting, *done, over("t2"), standings={"c1": Standing(decision=True)})
    assert found == [STEP, paid, said("Please look."), STEP, said("Paid.")]


def test_a_result_that_comes_after_more_was_said_goes_to_its_own_message() -> None:
    asked = event(
        call("c1", "pay", args=ARGS),
        id="e1",
        custom_metadata=notes(c1={"gated": True, "approvalId": "a1"}),
    )
    result = event(response("c1", "pay", {"paid": 5}), id="e4")
    found = messages(
        asked,
        over("t1"),
        user("And now?", "u2"),
        event(text("I wait."), id="e2"),
        result,
        event(text("Paid."), id="e5"),
        over("t2"),
        standings={"c1": Standing(decision=True)},
    )
    approval = {"id": "a1", "approved": True}
    assert found[1]["parts"][:2] == [
        STEP,
        pay("output-available", output={"paid": 5}, approval=approval),
    ]
    assert [part["text"] for part in found[3]["parts"] if part["type"] == "text"] == [
        "I wait.Paid."
    ]


@pytest.mark.parametrize("style", ["native", "adk-tool"])
def test_a_call_of_a_live_run_that_outlived_it(style: ApprovalStyleName) -> None:
    # The chat asks on ADK's behalf, in events of ADK's kind, before the answer can be taken up.
    asked = event(
        call("c1", "pay", args=ARGS),
        id="e1",
        custom_metadata=notes(c1={"gated": True, "approvalId": "a1"}),
    )
    waiting = [asked, spoke("Please look.", "e2"), over("t1")]
    answer = [*pay_asked()[1:], answered("a1", CONFIRMATION, {"confirmed": True})]
    done = event(response("c1", "pay", {"paid": 5}), id="e5")
    found = parts(*waiting, *answer, done, event(text("Paid."), id="e6"), approvals=style)
    states = [part["state"] for part in found if part["type"].startswith("tool-")]
    assert states == ["output-available"] * (2 if style == "adk-tool" else 1)
    texts = [part["text"] for part in found if part["type"] == "text"]
    assert texts == ["Please look.", "Paid."]


def test_what_only_the_model_needs_is_not_shown() -> None:
    filler = event(text("(no answer)"), id="e1", custom_metadata={NOTES: {"filler": True}})
    assert [one["role"] for one in messages(filler)] == ["user"]


def test_a_live_message_that_a_request_goes_on_with() -> None:
    live = event(
        call("b1", "locate", args={}),
        id="e1",
        invocation_id="live",
        custom_metadata=notes(b1={"browser": True}),
    )
    ended = event(id="t1", invocation_id="live", turn_complete=True)
    done = answered("b1", "locate", PLACE)
    after = event(text("There."), id="e3", invocation_id="later")
    found = parts(live, ended, done, after)
    assert [part["type"] for part in found if part != STEP] == ["tool-locate", "text"]
    assert found[1] == locate("output-available", output=PLACE)
