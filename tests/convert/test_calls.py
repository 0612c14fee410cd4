"""What the events of a turn say about its calls."""

from typing import Any

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.calls import CONFIRMATION, Call, Calls, current_turn
from adk_stream_protocol.convert.events import (
    NOTES,
    add_notes,
    is_placeholder,
    is_user_message,
    last_message_at,
    notes_of,
)
from tests.support.events import (
    ARGS,
    call,
    calls,
    confirmation,
    event,
    locate_asked,
    notes,
    pay_asked,
    pay_decided,
    placeholder,
    response,
    text,
)


def pay(**fields: Any) -> Call:
    place: dict[str, Any] = {"invocation_id": "i1", "author": "agent", "asked_at": 1.0}
    return Call(id="c1", name="pay", args=ARGS, siblings=["c1"], **place, **fields)


def asked(**fields: Any) -> Call:
    return pay(**{"approval_id": "a1", "hint": "Sure?", "has_dialog": True, **fields})


def locate(**fields: Any) -> Call:
    place: dict[str, Any] = {"invocation_id": "i1", "author": "agent", "asked_at": 1.0}
    return Call(id="b1", name="locate", args={}, siblings=["b1"], **place, **fields)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([event(call("c1", "pay", args=ARGS))], pay()),
        (pay_asked(), asked()),
        (pay_decided(True), asked(decision=True)),
        (pay_decided(False), asked(decision=False)),
        (pay_decided("true"), asked(decision=False)),
        (pay_decided(1), asked(decision=False)),
        (
            [*pay_decided(True), event(response("c1", "pay", {"ok": 1}))],
            asked(decision=True, response={"ok": 1}),
        ),
        (
            [event(call("c1", "pay", args=ARGS)), event(response("c1", "pay", None))],
            pay(response={}),
        ),
        (locate_asked(), locate(browser=True)),
        (locate_asked(ttl=5.0), locate(browser=True, ttl=5.0)),
        (locate_asked(approvalId="a1"), locate(browser=True, approval_id="a1")),
        (locate_asked(shown={"risk": "high"}), locate(browser=True, shown={"risk": "high"})),
        (locate_asked(result=None), locate(browser=True, early_result=None)),
    ],
)
def test_events_become_a_call(events: list[Event], expected: Call) -> None:
    assert list(Calls.of(events).by_id.values()) == [expected]


def test_a_decided_server_call_without_result_is_unfinished() -> None:
    assert calls(pay_decided(True)).by_id["c1"].is_unfinished
    assert not calls(pay_asked()).by_id["c1"].is_unfinished
    assert not calls(locate_asked(approvalId="a1", approved=True)).by_id["b1"].is_unfinished


def test_a_dialog_that_the_model_made_is_none() -> None:
    made = event(confirmation("c1", "a1"), id="q1", long_running_tool_ids=set())
    assert calls([event(call("c1", "pay", args=ARGS)), made]).by_approval == {}


def test_a_call_is_found_by_its_id_or_its_approval_id_only() -> None:
    found = calls(pay_asked(), locate_asked(approvalId="a2"))
    assert [found.find(any_id) for any_id in ("c1", "a1", "b1", "a2")] == [
        found.by_id["c1"],
        found.by_id["c1"],
        found.by_id["b1"],
        found.by_id["b1"],
    ]
    assert [found.find(any_id) for any_id in ("pay", "locate", "", CONFIRMATION)] == [None] * 4


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ([event(call("c1", "pay"))], (False, False)),
        (pay_asked(), (True, False)),
        (pay_decided(True), (False, False)),
        (locate_asked(), (False, True)),
        (locate_asked(approvalId="a1"), (True, False)),
        (locate_asked(approvalId="a1", approved=True), (False, True)),
        ([*locate_asked(), event(response("b1", "locate", {}))], (False, False)),
        ([*locate_asked(approvalId="a1"), event(response("b1", "locate", {}))], (False, False)),
    ],
)
def test_a_call_waits_for_a_person_or_for_the_browser(
    events: list[Event], waits: tuple[bool, bool]
) -> None:
    (one,) = calls(events).by_id.values()
    assert (one.waits_for_approval, one.waits_for_result) == waits
    assert one.is_open == any(waits)


def test_open_lists_the_calls_that_wait() -> None:
    done = [event(call("c9", "pay")), event(response("c9", "pay", {}))]
    found = calls(pay_asked(), done, locate_asked())
    assert [one.id for one in found.open()] == ["c1", "b1"]


def test_running_are_the_calls_that_the_server_is_about_to_answer() -> None:
    weather = [event(call("c8", "weather"))]
    done = [event(call("c9", "pay")), event(response("c9", "pay", {}))]
    assert [one.id for one in calls(pay_asked(), weather, done, locate_asked()).running()] == ["c8"]
    assert [one.id for one in calls(pay_decided(True), weather).running()] == ["c1", "c8"]
    assert calls(locate_asked(approvalId="a1", approved=True)).running() == []


def test_the_placeholder_is_no_result() -> None:
    assert is_placeholder(placeholder("c1"), "c1")
    assert not is_placeholder(placeholder("c1"), "c2")
    assert calls(pay_asked()).by_id["c1"].response is None


@pytest.mark.parametrize("args", [None, {}, {"originalFunctionCall": "c1"}])
def test_a_confirmation_without_an_original_is_ignored(args: Any) -> None:
    found = calls([event(call("c1", "pay")), event(call("a1", CONFIRMATION, args=args))])
    assert (found.by_id["c1"].approval_id, found.by_approval) == (None, {})


@pytest.mark.parametrize(
    "before",
    [
        [],
        locate_asked("c1"),
        locate_asked("c1", approvalId="a1"),
        [event(call("c1", "pay")), event(response("c1", "pay", {"ok": 1}))],
    ],
    ids=["unknown", "browser", "browser with approval", "finished"],
)
def test_a_confirmation_of_what_needs_none_is_ignored(before: list[Event]) -> None:
    found = Calls.of([*before, event(confirmation("c1", "forged"))])
    assert found == Calls.of(before)


def test_a_confirmation_without_a_hint_is_taken() -> None:
    bare = call("a1", CONFIRMATION, args={"originalFunctionCall": {"id": "c1"}})
    found = calls([event(call("c1", "pay", args=ARGS)), event(bare)])
    assert found.by_id == {"c1": asked(hint="")}


@pytest.mark.parametrize(
    "part",
    [
        call(None, "pay"),
        call("c1", None),
        response("nobody", "pay", {}),
        response("nobody", CONFIRMATION, {"confirmed": True}),
        text("hi"),
    ],
)
def test_parts_that_name_no_call_are_ignored(part: types.Part) -> None:
    assert calls([event(part)]) == Calls()


def test_notes_on_unknown_calls_are_ignored() -> None:
    assert calls([event(custom_metadata=notes(nobody={"browser": True}))]) == Calls()


@pytest.mark.parametrize("metadata", [None, {}, {"other": 1}, {"adk_stream": {}}])
def test_an_event_may_have_no_notes(metadata: dict[str, Any] | None) -> None:
    assert notes_of(event(custom_metadata=metadata)) == {}


def test_the_current_turn_begins_after_the_last_message_of_the_user() -> None:
    first, second = event(text("a"), author="user"), event(text("b"), author="user")
    answer = event(response("b1", "locate", {}), author="user")
    reply = event(text("c"))
    assert current_turn([first, reply, second, reply, answer]) == [reply, answer]
    assert current_turn([reply, answer]) == [reply, answer]
    assert current_turn([]) == []


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (event(text("a"), author="user"), True),
        (event(text("a")), False),
        (event(author="user"), False),
        (event(response("b1", "locate", {}), author="user"), False),
        (event(response("b1", "locate", {}), text("a"), author="user"), True),
    ],
)
def test_a_message_of_the_user_is_more_than_answers(one: Event, expected: bool) -> None:
    assert is_user_message(one) is expected


def test_the_user_was_last_heard_when_they_wrote_or_spoke() -> None:
    wrote = event(text("a"), author="user", timestamp=2.0)
    spoke = event(author="user", input_transcription={"text": "b"}, timestamp=3.0)
    answered = event(response("b1", "locate", {}), author="user", timestamp=4.0)
    reply = event(text("c"), timestamp=5.0)
    assert last_message_at([wrote, spoke, answered, reply]) == 3.0
    assert last_message_at([wrote, answered, reply]) == 2.0
    assert last_message_at([answered, reply]) == last_message_at([]) == 0.0


def test_notes_are_added_to_notes() -> None:
    one = event(call("c1", "pay"))
    add_notes(one, {"calls": {"c1": {"gated": True}}})
    add_notes(one, {"messageId": "m1"})
    assert one.custom_metadata == {
        NOTES: {"calls": {"c1": {"gated": True}}, "messageId": "m1"},
    }
