"""Which call a result belongs to, and which message a call is about."""

from google.genai import types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.context.exchange import Outcome
from tests.support.contents import call, model, result, results, user


def test_results_without_ids_are_matched_by_name_and_order() -> None:
    asked = model(types.Part(text="so"), call("f", n=1), call("g"), call("f", n=2))
    context = Context([user("go"), asked, results(result("f", r=1), result("f", r=2))])
    assert context.rounds() == [
        [Outcome("f", {"n": 1}, {"r": 1}), Outcome("g", {}, None), Outcome("f", {"n": 2}, {"r": 2})]
    ]


def test_ids_win_where_both_sides_have_them() -> None:
    asked = model(call("f", "a"), call("f", "b"))
    context = Context([user("go"), asked, results(result("f", "b", r=2), result("f", "a", r=1))])
    assert context.rounds() == [[Outcome("f", {}, {"r": 1}), Outcome("f", {}, {"r": 2})]]


def test_a_late_result_leads_back_to_its_message() -> None:
    before = [user("first"), model(call("f", "1"), call("g", "2"))]
    between = [user("second"), model(call("f", "3"))]
    context = Context([*before, *between, results(result("f", "1", r=1))])
    assert context.message() == "first"
    assert context.rounds() == [[Outcome("f", {}, {"r": 1}), Outcome("g", {}, None)]]
    assert Context([*before, *between]).message() == "second"


def test_a_late_result_without_an_id_goes_to_the_newest_open_call() -> None:
    asked = [user("first"), model(call("f")), user("second"), model(call("f"))]
    once = [*asked, results(result("f", r=2))]
    assert Context(once).message() == "second"
    assert Context([*once, results(result("f", r=1))]).message() == "first"


def test_a_result_that_will_be_continued_is_none_yet() -> None:
    more = types.FunctionResponse(name="f", id="1", response={"r": 1}, will_continue=True)
    context = Context(
        [user("go"), model(call("f", "1")), results(types.Part(function_response=more))]
    )
    assert context.rounds() == [[Outcome("f", {}, None)]]
    assert not context.due()


def test_the_last_result_of_a_call_counts() -> None:
    asked = [user("go"), model(call("f", "1"))]
    context = Context([*asked, results(result("f", "1", r=1)), results(result("f", "1", r=2))])
    assert context.rounds() == [[Outcome("f", {}, {"r": 2})]]
