"""What the model is told of calls that did not run as asked."""

from typing import Any

import pytest
from google.genai import types

from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import CONFIRMATION, Calls
from adk_stream_protocol.convert.events import is_placeholder
from adk_stream_protocol.protocol.chunks import OUTCOMES, Outcome
from tests.support.events import call, calls, event, pay_asked

DENIED = "The user denied this call. It did not run."
CALL = calls(pay_asked()).by_id["c1"]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (tool_responses.denied(None), {"error": DENIED, "outcome": "denied"}),
        (tool_responses.denied(""), {"error": DENIED, "outcome": "denied"}),
        (
            tool_responses.denied("no" * 1000),
            {"error": DENIED, "outcome": "denied", "reason": "no" * 500},
        ),
        (
            tool_responses.failed("pay", "r1"),
            {"error": "The tool pay failed (reference r1).", "outcome": "failed"},
        ),
        (tool_responses.browser_failed("x" * 2000), {"error": "x" * 1000, "outcome": "failed"}),
        (
            tool_responses.refused("Too much."),
            {"error": "Too much. It did not run, and nobody was asked.", "outcome": "refused"},
        ),
        (
            tool_responses.not_started("r1"),
            {
                "error": "The call could not be started (reference r1). It did not run.",
                "outcome": "failed",
            },
        ),
        (
            tool_responses.unknown_tool("x"),
            {"error": "There is no tool named x.", "outcome": "refused"},
        ),
        (tool_responses.browser_result({"a": 1}), {"a": 1}),
        (tool_responses.browser_result(None), {"result": None}),
        (tool_responses.browser_result([1]), {"result": [1]}),
    ],
)
def test_an_outcome_is_an_object(outcome: dict[str, Any], expected: dict[str, Any]) -> None:
    assert outcome == expected


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (tool_responses.cancelled(), "cancelled"),
        (tool_responses.withdrawn(), "withdrawn"),
        (tool_responses.expired(), "expired"),
        (tool_responses.not_approved(), "refused"),
    ],
)
def test_a_call_that_was_not_allowed_says_that_it_did_not_run(
    response: dict[str, Any], code: Outcome
) -> None:
    assert list(response) == ["error", "outcome"] and response["outcome"] == code
    assert response["error"].endswith("It did not run.")


def test_an_unknown_outcome_says_that_it_may_have_happened() -> None:
    response = tool_responses.outcome_unknown()
    assert list(response) == ["error", "outcome"] and response["outcome"] == "unknown"
    assert response["error"].startswith("outcome_unknown: ")
    assert "did not run" not in response["error"] and "may have" in response["error"]
    assert tool_responses.cut_off()["outcome"] == "unknown"


RESPONSES = [
    tool_responses.denied("no"),
    tool_responses.expired(),
    tool_responses.cancelled(),
    tool_responses.withdrawn(),
    tool_responses.outcome_unknown(),
    tool_responses.not_approved(),
    tool_responses.refused("Too much."),
    tool_responses.unknown_tool("x"),
    tool_responses.failed("pay", "r1"),
    tool_responses.not_started("r1"),
]


@pytest.mark.parametrize("response", RESPONSES, ids=[one["error"] for one in RESPONSES])
def test_the_code_is_read_with_and_without_the_words(response: dict[str, Any]) -> None:
    code = response["outcome"]
    assert tool_responses.outcome_code(response) == code
    assert tool_responses.outcome_code({"error": "Other words.", "outcome": code}) == code
    stored_before = {key: value for key, value in response.items() if key != "outcome"}
    assert tool_responses.outcome_code(stored_before) == code


def test_there_is_a_response_for_each_code() -> None:
    assert {one["outcome"] for one in RESPONSES} == set(OUTCOMES)


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ({"paid": 5}, None),
        ({}, None),
        ({"error": None, "rows": 2}, None),
        ({"outcome": "denied"}, None),
        ({"error": "No money."}, "failed"),
        ({"error": {"code": 3}}, "failed"),
        ({"error": "No money.", "outcome": "a draw"}, "failed"),
        ({"error": "No answer.", "outcome": "unknown", "balance": 3}, "unknown"),
        ({"error": "The call expired: a joke.", "outcome": "failed"}, "failed"),
    ],
)
def test_the_code_of_what_a_tool_returns(response: dict[str, Any], code: Outcome | None) -> None:
    assert tool_responses.outcome_code(response) == code


def test_a_response_goes_under_the_id_and_name_of_its_call() -> None:
    answer = types.FunctionResponse(id="c1", name="pay", response={"a": 1})
    assert tool_responses.response_part(CALL, {"a": 1}) == types.Part(function_response=answer)


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
    part = tool_responses.decision_part(CALL, approved, reason)
    assert part == types.Part(function_response=answer)


def test_a_dialog_that_is_asked_for_adk_reads_like_one_of_its_own() -> None:
    bare = calls([event(call("c1", "pay", args={"amount": 5}))]).by_id["c1"]
    bare.approval_id, bare.hint = "a1", "Sure?"
    asked, stand_in = tool_responses.dialog(bare)
    assert (asked.author, asked.invocation_id) == ("agent", "i1")
    assert (stand_in.author, stand_in.invocation_id) == ("agent", "i1")
    assert is_placeholder(stand_in, "c1") and stand_in.actions.skip_summarization
    again = Calls.of([event(call("c1", "pay", args={"amount": 5})), asked, stand_in]).by_id["c1"]
    assert (again.approval_id, again.hint, again.has_dialog) == ("a1", "Sure?", True)
    assert again.waits_for_approval


def test_a_pause_is_the_models() -> None:
    content = tool_responses.pause()
    assert content == types.Content(role="model", parts=[types.Part(text="(waiting for the user)")])


def test_parts_go_as_one_message_of_the_user() -> None:
    part = types.Part(text="x")
    assert tool_responses.user_content(iter([part])) == types.Content(role="user", parts=[part])


def test_a_model_that_goes_on_is_told_in_silence() -> None:
    content = tool_responses.cancelled_silently(Calls.of([event(call("c1", "pay"))]).by_id["c1"])
    assert content.parts and (response := content.parts[0].function_response)
    assert (response.id, response.name, response.response) == (
        "c1",
        "pay",
        tool_responses.cancelled(),
    )
    assert response.scheduling is types.FunctionResponseScheduling.SILENT
