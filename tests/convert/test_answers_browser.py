"""Approvals and results of browser calls, together or apart, in either order."""

from typing import Any

import pytest

from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.answers import Decision, Plan, match_answers
from adk_stream_protocol.convert.calls import Call, Calls
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.errors import BadRequest, Conflict, Expired
from tests.support.events import calls, echo, event, explicit, locate_asked, pay_asked, response

PLACE = {"latitude": 35.68}


def check(call: Call, value: Any) -> str | None:
    return "$: wrong" if value == "wrong" else None


def match(known: Calls, *answers: Answer) -> Plan:
    return match_answers(known, answers, check)


def gated(**note: Any) -> Calls:
    return calls(locate_asked(approvalId="a1", **note))


@pytest.mark.parametrize("answer", [explicit("b1", PLACE), echo("b1", value=PLACE)])
def test_a_result_of_an_ungated_call_is_taken(answer: Answer) -> None:
    known = calls(locate_asked())
    assert match(known, answer) == Plan(results=[(known.by_id["b1"], PLACE)])


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (None, {"result": None}),
        (7, {"result": 7}),
        ({}, {}),
        ({"approved": True}, {"approved": True}),
    ],
)
def test_any_value_is_a_result_of_an_ungated_call(value: Any, result: dict[str, Any]) -> None:
    known = calls(locate_asked())
    assert match(known, explicit("b1", value)) == Plan(results=[(known.by_id["b1"], result)])


@pytest.mark.parametrize(
    "answers",
    [
        (echo("b1", "a1", approved=True, value=PLACE),),
        (explicit("a1", {"approval": "approved"}), explicit("b1", PLACE)),
        (explicit("b1", PLACE), explicit("a1", {"confirmed": True})),
        (echo("a1", value={"confirmed": True}), echo("b1", value=PLACE)),
        (echo("b1", approved=True), explicit("b1", PLACE)),
    ],
)
def test_approval_and_result_may_come_together(answers: tuple[Answer, ...]) -> None:
    known = gated()
    call = known.by_id["b1"]
    plan = match(known, *answers)
    assert plan == Plan(decisions=[Decision(call, True, None)], results=[(call, PLACE)])


@pytest.mark.parametrize(
    "answer", [echo("b1", "a1", approved=True), explicit("a1", {"approved": True})]
)
def test_an_approval_without_a_result_is_the_go_signal(answer: Answer) -> None:
    known = gated()
    call = known.by_id["b1"]
    assert match(known, answer) == Plan(
        decisions=[Decision(call, True, None)], may_run_in_browser=[call]
    )


@pytest.mark.parametrize(
    "answer",
    [
        echo("b1", "a1", approved=True),
        explicit("a1", {"confirmed": True}),
        explicit("b1", {"approved": True}),
    ],
)
def test_an_equal_approval_again_is_the_go_signal_again(answer: Answer) -> None:
    known = gated(approved=True)
    assert match(known, answer) == Plan(may_run_in_browser=[known.by_id["b1"]])


@pytest.mark.parametrize(
    "answer",
    [explicit("b1", PLACE), echo("b1", value=PLACE), echo("b1", "a1", approved=True, value=PLACE)],
)
def test_a_result_after_the_approval_is_taken(answer: Answer) -> None:
    known = gated(approved=True)
    assert match(known, answer) == Plan(results=[(known.by_id["b1"], PLACE)])


@pytest.mark.parametrize("value", [{"payload": 1}, {"reason": "indoors"}])
def test_after_the_approval_an_object_without_a_verdict_is_a_result(value: Any) -> None:
    known = gated(approved=True)
    assert match(known, explicit("b1", value)) == Plan(results=[(known.by_id["b1"], value)])


@pytest.mark.parametrize(
    "value", [PLACE, None, True, "approved", [], {}, {"approved": True, "x": 1}]
)
def test_a_result_before_the_approval_is_kept_and_no_approval(value: Any) -> None:
    known = gated()
    call = known.by_id["b1"]
    assert match(known, explicit("b1", value)) == Plan(early_results=[(call, value)])


def test_an_approval_brings_the_early_result_with_it() -> None:
    known = gated(result=PLACE)
    call = known.by_id["b1"]
    plan = match(known, explicit("a1", {"approved": True}))
    assert plan == Plan(decisions=[Decision(call, True, None)], results=[(call, PLACE)])


def test_a_denial_leaves_the_early_result_unused() -> None:
    known = gated(result=PLACE)
    call = known.by_id["b1"]
    plan = match(known, explicit("a1", {"approved": False, "reason": "no"}))
    assert plan == Plan(
        decisions=[Decision(call, False, "no")], results=[(call, tool_responses.denied("no"))]
    )


def test_a_denial_beside_a_result_is_a_denial() -> None:
    known = gated()
    call = known.by_id["b1"]
    plan = match(known, echo("b1", "a1", approved=False, value=PLACE))
    assert plan == Plan(
        decisions=[Decision(call, False, None)], results=[(call, tool_responses.denied(None))]
    )


def test_an_error_of_the_browser_is_a_result() -> None:
    known = calls(locate_asked())
    plan = match(known, echo("b1", error="x" * 2000))
    assert plan == Plan(results=[(known.by_id["b1"], tool_responses.browser_failed("x" * 1000))])


@pytest.mark.parametrize("known", [gated(), gated(approved=True), calls(locate_asked())])
def test_a_result_that_breaks_the_schema_is_refused(known: Calls) -> None:
    with pytest.raises(BadRequest, match=r"^\$\.b1: \$: wrong"):
        match(known, explicit("b1", "wrong"))


def test_an_answer_without_verdict_or_result_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"^\$\.b1: a yes or no is expected"):
        match(gated(), echo("b1", "a1"))


def test_the_output_of_a_confirmation_is_never_a_result() -> None:
    contradiction = echo("a1", approved=True, value={"confirmed": False})
    with pytest.raises(BadRequest, match=r"^\$\.a1: the same call is both approved and denied"):
        match(gated(), contradiction)


def test_an_equal_output_and_approval_of_a_confirmation_are_one_yes() -> None:
    known = gated()
    call = known.by_id["b1"]
    plan = match(known, echo("a1", approved=True, value={"confirmed": True}))
    assert plan == Plan(decisions=[Decision(call, True, None)], may_run_in_browser=[call])


def test_the_first_of_two_results_in_one_request_wins() -> None:
    known = calls(locate_asked())
    plan = match(known, explicit("b1", PLACE), explicit("b1", {"latitude": 0}))
    assert plan == Plan(results=[(known.by_id["b1"], PLACE)])


def test_a_no_after_the_yes_is_a_conflict() -> None:
    with pytest.raises(Conflict):
        match(gated(approved=True), explicit("a1", {"approved": False}))


def test_an_approval_that_nobody_asked_for_is_a_conflict() -> None:
    with pytest.raises(Conflict):
        match(calls(locate_asked()), echo("b1", approved=True, value=PLACE))


def answered(value: dict[str, Any]) -> Calls:
    return calls(locate_asked(), [event(response("b1", "locate", value))])


@pytest.mark.parametrize(
    ("stored", "sent"),
    [(PLACE, PLACE), ({"result": 7}, 7), ({"result": 7}, {"result": 7})],
)
def test_an_equal_result_again_is_a_repeat(stored: dict[str, Any], sent: Any) -> None:
    known = answered(stored)
    assert match(known, explicit("b1", sent)) == Plan(repeated=[known.by_id["b1"]])


def test_another_result_afterwards_is_a_conflict() -> None:
    with pytest.raises(Conflict):
        match(answered(PLACE), explicit("b1", {"latitude": 0}))


def test_a_result_after_the_deadline_is_expired() -> None:
    with pytest.raises(Expired):
        match(answered(tool_responses.expired()), explicit("b1", PLACE))


def test_two_calls_of_one_browser_tool_do_not_mix() -> None:
    known = calls(locate_asked("b1"), locate_asked("b2"))
    plan = match(known, explicit("b2", 2), explicit("b1", 1))
    assert plan == Plan(
        results=[(known.by_id["b2"], {"result": 2}), (known.by_id["b1"], {"result": 1})]
    )


def test_answers_of_both_kinds_make_one_plan() -> None:
    known = calls(pay_asked("c1", "a9"), locate_asked("b1"), locate_asked("b2", approvalId="a2"))
    pay, first, second = (known.by_id[call_id] for call_id in ("c1", "b1", "b2"))
    plan = match(
        known,
        echo("c1", "a9", approved=True),
        echo("b1", value=PLACE),
        echo("b2", "a2", approved=True),
    )
    assert plan == Plan(
        decisions=[Decision(pay, True, None), Decision(second, True, None)],
        results=[(first, PLACE)],
        may_run_in_browser=[second],
    )


def test_a_plan_names_every_call_that_is_answered() -> None:
    known = calls(pay_asked(), *(locate_asked(one, approvalId=f"a-{one}") for one in "vwxy"))
    known.by_id["y"].response, known.by_id["y"].decision = PLACE, True
    plan = match(
        known,
        explicit("a1", {"confirmed": False}),
        explicit("a-v", {"confirmed": True}),
        explicit("v", PLACE),
        explicit("a-w", {"confirmed": True}),
        explicit("x", PLACE),
        explicit("a-y", {"confirmed": True}),
    )
    assert [call.id for call in plan.calls] == ["c1", "v", "w", "v", "x", "w", "y"]
