"""What the model is told of calls that did not run as asked."""

from typing import Any

import pytest
from google.genai import types

from adk_stream_protocol.convert import tool_responses as outcomes
from adk_stream_protocol.convert.calls import CONFIRMATION, Calls, is_placeholder
from tests.support.events import call, calls, event, pay_asked

CALL = calls(pay_asked()).by_id["c1"]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (outcomes.denied(None), {"error": "The user denied this call. It did not run."}),
        (outcomes.denied(""), {"error": "The user denied this call. It did not run."}),
        (
            outcomes.denied("no" * 1000),
            {"error": "The user denied this call. It did not run.", "reason": "no" * 500},
        ),
        (outcomes.failed("pay", "r1"), {"error": "The tool pay failed (reference r1)."}),
        (
            outcomes.refused("Too much."),
            {"error": "Too much. It did not run, and nobody was asked."},
        ),
        (
            outcomes.not_started("r1"),
            {"error": "The call could not be started (reference r1). It did not run."},
        ),
        (outcomes.unknown_tool("x"), {"error": "There is no tool named x."}),
        (outcomes.browser_result({"a": 1}), {"a": 1}),
        (outcomes.browser_result(None), {"result": None}),
        (outcomes.browser_result([1]), {"result": [1]}),
    ],
)
def test_an_outcome_is_an_object(outcome: dict[str, Any], expected: dict[str, Any]) -> None:
    assert outcome == expected


@pytest.mark.parametrize(
    "outcome",
    [outcomes.cancelled(), outcomes.withdrawn(), outcomes.expired(), outcomes.not_approved()],
)
def test_a_call_that_was_not_allowed_says_that_it_did_not_run(outcome: dict[str, Any]) -> None:
    assert list(outcome) == ["error"] and outcome["error"].endswith("It did not run.")


def test_an_unknown_outcome_says_that_it_may_have_happened() -> None:
    outcome = outcomes.outcome_unknown()
    assert list(outcome) == ["error"] and outcome["error"].startswith("outcome_unknown: ")
    assert "did not run" not in outcome["error"] and "may have" in outcome["error"]


def test_a_response_goes_under_the_id_and_name_of_its_call() -> None:
    answer = types.FunctionResponse(id="c1", name="pay", response={"a": 1})
    assert outcomes.response_part(CALL, {"a": 1}) == types.Part(function_response=answer)


@pytest.mark.parametrize(
    ("approved", "reason", "response"),
    [
        (True, None, {"confirmed": True}),
        (False, "no", {"confirmed": False, "payload": {"reason": "no"}}),
        (False, "x" * 2000, {"confirmed": False, "payload": {"reason": "x" * 1000}}),
    ],
)
def test_a_decision_answers_the_confirmation(
    approved: bool, reason: str | None, response: dict[str, Any]
) -> None:
    answer = types.FunctionResponse(id="a1", name=CONFIRMATION, response=response)
    part = outcomes.decision_part(CALL, approved, reason)
    assert part == types.Part(function_response=answer)


def test_a_dialog_that_is_asked_for_adk_reads_like_one_of_its_own() -> None:
    bare = calls([event(call("c1", "pay", args={"amount": 5}))]).by_id["c1"]
    bare.approval_id, bare.hint = "a1", "Sure?"
    asked, stand_in = outcomes.dialog(bare)
    assert (asked.author, asked.invocation_id) == ("agent", "i1")
    assert (stand_in.author, stand_in.invocation_id) == ("agent", "i1")
    assert is_placeholder(stand_in, "c1") and stand_in.actions.skip_summarization
    again = Calls.of([event(call("c1", "pay", args={"amount": 5})), asked, stand_in]).by_id["c1"]
    assert (again.approval_id, again.hint, again.has_dialog) == ("a1", "Sure?", True)
    assert again.waits_for_approval


def test_a_pause_is_the_models() -> None:
    content = outcomes.pause()
    assert content == types.Content(role="model", parts=[types.Part(text="(waiting for the user)")])


def test_parts_go_as_one_message_of_the_user() -> None:
    part = types.Part(text="x")
    assert outcomes.user_content(iter([part])) == types.Content(role="user", parts=[part])


def test_a_model_that_goes_on_is_told_in_silence() -> None:
    content = outcomes.cancelled_silently(Calls.of([event(call("c1", "pay"))]).by_id["c1"])
    assert content.parts and (response := content.parts[0].function_response)
    assert (response.id, response.name, response.response) == ("c1", "pay", outcomes.cancelled())
    assert response.scheduling is types.FunctionResponseScheduling.SILENT
