"""Decisions about server calls, matched by id with what is open."""

from typing import Any

import pytest
from google.adk.events.event import Event

from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.answers import Decision, Plan, match_answers
from adk_stream_protocol.convert.calls import Call, Calls
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.errors import (
    BadRequest,
    Conflict,
    Expired,
    StreamProtocolError,
    UnknownId,
)
from tests.support.events import calls, echo, event, explicit, pay_asked, pay_decided, response


def match(known: Calls, *answers: Answer) -> Plan:
    def check(call: Call, value: Any) -> str | None:
        raise AssertionError("a server call has no result to check")

    return match_answers(known, answers, check)


@pytest.mark.parametrize("approved", [True, False])
@pytest.mark.parametrize("any_id", ["c1", "a1"])
def test_a_decision_names_the_call_or_its_approval(any_id: str, approved: bool) -> None:
    known = calls(pay_asked())
    answer = explicit(any_id, {"confirmed": approved, "reason": "so"})
    decision = Decision(known.by_id["c1"], approved, "so")
    assert match(known, answer) == Plan(decisions=[decision])


@pytest.mark.parametrize("ids", [("c1", "a1"), ("c1",), ("a1",)])
def test_an_echoed_decision_is_found_by_any_of_its_ids(ids: tuple[str, ...]) -> None:
    known = calls(pay_asked())
    plan = match(known, echo(*ids, approved=True))
    assert plan == Plan(decisions=[Decision(known.by_id["c1"], True, None)])


@pytest.mark.parametrize("ids", [("unknown", "a1"), ("c1", "unknown")])
def test_a_known_id_beside_an_unknown_one_is_refused(ids: tuple[str, ...]) -> None:
    with pytest.raises(BadRequest, match="different calls"):
        match(calls(pay_asked()), echo(*ids, approved=True))


def test_a_repeated_yes_for_a_finished_call_asks_to_see_its_result() -> None:
    done = [*pay_decided(True), event(response("c1", "pay", {"ok": 1}), id="e9")]
    plan = match(calls(done), echo("c1", approved=True))
    assert [one.id for one in plan.unacknowledged] == [one.id for one in plan.repeated] == ["c1"]
    assert plan.is_replay


def test_a_word_in_approval_is_a_yes() -> None:
    known = calls(pay_asked())
    plan = match(known, explicit("a1", {"approval": "approved"}))
    assert plan == Plan(decisions=[Decision(known.by_id["c1"], True, None)])


@pytest.mark.parametrize("value", ["approved", True, 1, None, {"approved": "true"}, {"x": True}])
def test_an_unclear_answer_to_a_confirmation_is_refused(value: Any) -> None:
    with pytest.raises(BadRequest, match=r"^\$\.a1: one clear yes or no is expected"):
        match(calls(pay_asked()), explicit("a1", value))


@pytest.mark.parametrize("any_id", ["pay", "a9", "", "adk_request_confirmation"])
def test_an_unknown_id_is_refused(any_id: str) -> None:
    with pytest.raises(UnknownId):
        match(calls(pay_asked()), explicit(any_id, {"approved": True}))


def test_an_unknown_id_refuses_the_known_one_beside_it() -> None:
    known = calls(pay_asked())
    with pytest.raises(UnknownId):
        match(known, explicit("a1", {"approved": True}), explicit("a9", {"approved": True}))


def test_unknown_echoes_are_passed_over_beside_a_known_answer() -> None:
    known = calls(pay_asked())
    plan = match(known, echo("old", approved=True), echo("c1", "a1", approved=False))
    assert plan == Plan(decisions=[Decision(known.by_id["c1"], False, None)])


def test_nothing_but_unknown_echoes_is_refused() -> None:
    with pytest.raises(UnknownId):
        match(calls(pay_asked()), echo("old", approved=True))


def test_ids_of_different_calls_in_one_answer_are_refused() -> None:
    known = calls(pay_asked(), pay_asked("c2", "a2"))
    with pytest.raises(BadRequest, match=r"^\$\.c1: the ids belong to different calls"):
        match(known, echo("c1", "a2", approved=True))


def test_two_calls_of_one_tool_do_not_mix() -> None:
    known = calls(pay_asked(), pay_asked("c2", "a2"))
    plan = match(known, echo("c2", "a2", approved=False), echo("c1", "a1", approved=True))
    assert plan == Plan(
        decisions=[
            Decision(known.by_id["c2"], False, None),
            Decision(known.by_id["c1"], True, None),
        ]
    )


def test_one_of_two_may_be_answered() -> None:
    known = calls(pay_asked(), pay_asked("c2", "a2"))
    plan = match(known, explicit("a2", {"approved": True}))
    assert plan == Plan(decisions=[Decision(known.by_id["c2"], True, None)])


def test_yes_and_no_for_one_call_are_refused() -> None:
    with pytest.raises(BadRequest, match=r"^\$\.a1: the same call is both approved and denied"):
        match(
            calls(pay_asked()),
            explicit("c1", {"approved": True}),
            explicit("a1", {"approved": False}),
        )


def test_the_same_decision_twice_is_one_and_keeps_its_reason() -> None:
    known = calls(pay_asked())
    plan = match(
        known,
        explicit("c1", {"approved": False, "reason": "no"}),
        explicit("a1", {"approved": False}),
    )
    assert plan == Plan(decisions=[Decision(known.by_id["c1"], False, "no")])


@pytest.mark.parametrize(
    "answer",
    [
        explicit("c1", {"success": True}),
        explicit("c1", None),
        explicit("c1", {}),
        echo("c1", "a1", approved=True, value={"success": True}),
        echo("c1", error="failed"),
    ],
)
def test_a_result_of_a_server_call_is_refused(answer: Answer) -> None:
    with pytest.raises(BadRequest, match=r"^\$\.c1: pay runs on the server; its result is not"):
        match(calls(pay_asked()), answer)


def test_an_answer_without_a_verdict_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"^\$\.c1: a yes or no is expected"):
        match(calls(pay_asked()), echo("c1", "a1"))


@pytest.mark.parametrize("answer", [explicit("a1", {"confirmed": True}), echo("c1", approved=True)])
def test_an_equal_decision_again_is_a_repeat(answer: Answer) -> None:
    known = calls(pay_decided(True))
    plan = match(known, answer)
    assert plan == Plan(repeated=[known.by_id["c1"]]) and plan.is_repeat


def test_a_new_decision_is_no_repeat() -> None:
    assert not match(calls(pay_asked()), echo("c1", approved=True)).is_repeat


@pytest.mark.parametrize(
    "answer", [explicit("a1", {"confirmed": False}), echo("c1", approved=False)]
)
def test_the_other_decision_afterwards_is_a_conflict(answer: Answer) -> None:
    with pytest.raises(Conflict):
        match(calls(pay_decided(True)), answer)


CLOSED: list[tuple[dict[str, Any], type[StreamProtocolError]]] = [
    (tool_responses.expired(), Expired),
    (tool_responses.cancelled(), Conflict),
]


@pytest.mark.parametrize(("outcome", "error"), CLOSED)
@pytest.mark.parametrize("answer", [explicit("a1", {"approved": True}), echo("c1", approved=True)])
def test_an_answer_to_a_closed_request_has_no_effect(
    answer: Answer, outcome: dict[str, Any], error: type[StreamProtocolError]
) -> None:
    closed = event(response("c1", "pay", outcome))
    with pytest.raises(error):
        match(calls(pay_asked(), [closed]), answer)


def consumed(outcome: dict[str, Any]) -> list[Event]:
    return [*pay_asked(), event(response("c1", "pay", outcome))]


@pytest.mark.parametrize("outcome", [tool_responses.expired(), tool_responses.cancelled()])
def test_a_late_echo_is_passed_over_beside_a_new_answer(outcome: dict[str, Any]) -> None:
    known = calls(consumed(outcome), pay_asked("c2", "a2"))
    plan = match(known, echo("c1", "a1", approved=True), echo("c2", "a2", approved=True))
    assert plan == Plan(decisions=[Decision(known.by_id["c2"], True, None)])


def test_a_late_explicit_answer_refuses_the_new_one_beside_it() -> None:
    known = calls(consumed(tool_responses.expired()), pay_asked("c2", "a2"))
    with pytest.raises(Expired):
        match(known, echo("c2", approved=True), explicit("a1", {"approved": True}))


def test_one_explicit_answer_among_echoes_of_a_call_makes_it_explicit() -> None:
    known = calls(consumed(tool_responses.cancelled()), pay_asked("c2", "a2"))
    answers = (echo("c1", approved=True), explicit("a1", {"approved": True}))
    with pytest.raises(Conflict):
        match(known, *answers, echo("c2", approved=True))


def test_the_echoed_output_of_a_finished_server_call_is_a_repeat() -> None:
    known = calls([*pay_decided(True), event(response("c1", "pay", {"ok": 1}))])
    plan = match(known, echo("c1", "a1", approved=True, value={"ok": 1}))
    assert plan == Plan(repeated=[known.by_id["c1"]])


def test_what_was_decided_elsewhere_and_has_no_result_is_gone_on_with() -> None:
    known = calls(pay_asked("c1", "a1"), pay_asked("c2", "a2"), pay_asked("c3", "a3"))
    decided, done, _ = known.by_id.values()
    decided.decision = done.decision = True
    done.response = {"paid": 5}
    plan = Plan.of_unfinished(known.by_id.values())
    assert plan.calls == plan.unfinished == [decided]
