"""Tool calls, their requests and their results."""

from typing import Any

import pytest
from google.genai import types

from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import CONFIRMATION, Calls
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    FinishStep,
    Outcome,
    StartStep,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from tests.support.events import (
    ARGS,
    call,
    calls,
    confirmation,
    encoded,
    ended,
    event,
    finish,
    locate_asked,
    partial,
    pay_asked,
    pay_decided,
    response,
    said,
    step,
    text,
)

Json = dict[str, Any]
START = ToolInputStart(tool_call_id="c1", tool_name="pay")
INPUT = ToolInputAvailable(tool_call_id="c1", tool_name="pay", input=ARGS, provider_executed=True)
REQUEST = ToolApprovalRequest(approval_id="a1", tool_call_id="c1")
LOCATE = ToolInputAvailable(tool_call_id="b1", tool_name="locate", input={})
TAIL = [StartStep(), FinishStep(), finish()]


def output(call_id: str, value: Any, **fields: Any) -> ToolOutputAvailable:
    return ToolOutputAvailable(tool_call_id=call_id, output=value, **fields)


def test_a_server_call_and_its_result_are_flagged() -> None:
    chunks = encoded(
        event(call("c1", "pay", args=ARGS)), event(response("c1", "pay", {"ok": 1}), id="e2")
    )
    result = output("c1", {"ok": 1}, provider_executed=True)
    assert chunks == [*step(START, INPUT, result), *TAIL]


def test_text_after_a_result_is_the_next_step() -> None:
    chunks = encoded(
        event(call("c1", "pay", args=ARGS)),
        event(response("c1", "pay", {"ok": 1}), id="e2"),
        event(text("done"), id="e3"),
    )
    result = output("c1", {"ok": 1}, provider_executed=True)
    assert chunks == [*step(START, INPUT, result), *step(*said("0", "done")), finish()]


def test_an_approval_request_follows_its_call() -> None:
    assert encoded(*pay_asked()) == [*step(START, INPUT, REQUEST), finish("tool-calls")]


def test_two_parallel_calls_are_both_shown_before_both_requests() -> None:
    both = event(call("c1", "pay", args=ARGS), call("c2", "pay"))
    asked = event(confirmation("c1", "a1"), confirmation("c2", "a2"), id="e2")
    assert encoded(both, asked) == [
        *step(
            START,
            INPUT,
            ToolInputStart(tool_call_id="c2", tool_name="pay"),
            ToolInputAvailable(
                tool_call_id="c2", tool_name="pay", input={}, provider_executed=True
            ),
            REQUEST,
            ToolApprovalRequest(approval_id="a2", tool_call_id="c2"),
        ),
        finish("tool-calls"),
    ]


def test_a_browser_call_is_not_flagged_and_ends_the_turn() -> None:
    start = ToolInputStart(tool_call_id="b1", tool_name="locate")
    assert encoded(*locate_asked()) == [*step(start, LOCATE), finish("tool-calls")]


def test_a_gated_browser_call_is_shown_with_its_request() -> None:
    start = ToolInputStart(tool_call_id="b1", tool_name="locate")
    request = ToolApprovalRequest(approval_id="a1", tool_call_id="b1")
    chunks = encoded(*locate_asked(approvalId="a1"))
    assert chunks == [*step(start, LOCATE, request), finish("tool-calls")]


def test_a_call_shares_the_step_of_its_text() -> None:
    chunks = encoded(event(text("so"), call("c1", "pay", args=ARGS)))
    assert chunks == [*step(*said("0", "so"), START, INPUT), finish()]


@pytest.mark.parametrize("args", [{"originalFunctionCall": {"id": "c9"}}, {}, None])
def test_a_confirmation_of_an_unknown_call_is_not_shown(args: Any) -> None:
    assert encoded(event(call("a1", CONFIRMATION, args=args))) == [finish()]


def test_a_confirmation_of_a_browser_call_is_not_shown() -> None:
    forged = event(confirmation("b1", "forged"), id="e2")
    assert encoded(*locate_asked(), forged) == encoded(*locate_asked())


@pytest.mark.parametrize("part", [call(None, "pay"), response("c9", "pay", {"ok": 1})])
def test_a_call_or_result_without_a_known_id_is_not_shown(part: types.Part) -> None:
    assert encoded(event(part)) == [finish()]


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ({"error": "no"}, "failed"),
        ({"error": "no", "outcome": "refused"}, "refused"),
        ({"error": "The call expired: nobody answered in time. It did not run."}, "expired"),
    ],
)
def test_a_result_that_is_only_an_error_is_an_error(value: Json, outcome: Outcome) -> None:
    before = Calls.of([event(call("c1", "pay"))])
    assert encoded(event(response("c1", "pay", value)), calls=before) == [
        ended("c1", outcome),
        ToolOutputError(tool_call_id="c1", error_text=value["error"], provider_executed=True),
        *TAIL,
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"error": "no", "x": 1},
        {"error": "no", "outcome": "unknown", "x": 1},
        {"error": "no", "outcome": "a draw"},
        {"error": {"x": 1}},
        {"error": None},
        {"outcome": "denied"},
        None,
    ],
)
def test_a_result_that_says_more_than_an_error_is_a_result(value: Json | None) -> None:
    before = Calls.of([event(call("c1", "pay"))])
    chunk = output("c1", value or {}, provider_executed=True)
    assert encoded(event(response("c1", "pay", value)), calls=before) == [chunk, *TAIL]


def test_what_the_approver_saw_is_renewed_with_the_code() -> None:
    known = calls(pay_asked())
    known.by_id["c1"].shown = {"title": "Pay", "risk": "high"}
    data = {"toolCallId": "c1", "title": "Pay", "risk": "high", "outcome": "withdrawn"}
    chunks = encoded(event(response("c1", "pay", tool_responses.withdrawn())), calls=known)
    assert chunks[:2] == [
        Data(type="data-approval", id="a1", data=data),
        ToolOutputError(
            tool_call_id="c1",
            error_text=tool_responses.withdrawn()["error"],
            provider_executed=True,
        ),
    ]


def test_a_denied_call_is_shown_as_denied() -> None:
    result = event(response("c1", "pay", {"error": "no"}))
    chunks = encoded(result, calls=calls(pay_decided(False)))
    assert chunks == [ended("c1", "denied"), ToolOutputDenied(tool_call_id="c1"), *TAIL]


def test_a_result_does_not_end_the_turn_while_another_call_waits() -> None:
    before = calls(pay_asked(), [event(call("c2", "pay"))])
    chunks = encoded(event(response("c2", "pay", {"ok": 1})), calls=before)
    assert chunks == [output("c2", {"ok": 1}, provider_executed=True), finish("tool-calls")]


def argument(path: str, **value: Any) -> dict[str, Any]:
    return {"json_path": path, **value}


def test_streamed_arguments_are_deltas_and_then_the_whole() -> None:
    chunks = encoded(
        partial(call("c1", "pay", will_continue=True)),
        partial(call("c1", None, partial_args=[argument("$.amount", number_value=5)])),
        partial(call("c1", None, partial_args=[argument("nonsense", number_value=5)])),
        event(call("c1", "pay", args=ARGS)),
    )
    assert chunks == [
        *step(
            ToolInputStart(tool_call_id="c1", tool_name="pay"),
            ToolInputDelta(tool_call_id="c1", input_text_delta='{"amount":5'),
            INPUT,
        ),
        finish(),
    ]


@pytest.mark.parametrize(
    "part",
    [
        call(None, "pay"),
        call("c1", None, partial_args=[argument("$.a", number_value=5)]),
        call("a1", CONFIRMATION),
        types.Part(),
    ],
)
def test_a_piece_of_a_call_without_id_or_name_is_not_shown(part: types.Part) -> None:
    assert encoded(partial(part)) == [finish()]


def code(source: str) -> types.Part:
    return types.Part.from_executable_code(code=source, language=types.Language.PYTHON)


def ran(value: str) -> types.Part:
    return types.Part.from_code_execution_result(outcome=types.Outcome.OUTCOME_OK, output=value)


def code_chunks(call_id: str, source: str, value: str) -> list[AnyChunk]:
    return [
        ToolInputAvailable(
            tool_call_id=call_id,
            tool_name="code_execution",
            input={"language": types.Language.PYTHON, "code": source},
            provider_executed=True,
        ),
        ToolOutputAvailable(
            tool_call_id=call_id,
            output={"outcome": types.Outcome.OUTCOME_OK, "output": value},
            provider_executed=True,
        ),
    ]


def test_code_that_the_provider_runs_is_a_call_with_a_result() -> None:
    chunks = encoded(event(code("1"), ran("1"), code("2"), ran("2")))
    first, second = code_chunks("e1-code-1", "1", "1"), code_chunks("e1-code-2", "2", "2")
    assert chunks == [*step(*first, *second), finish()]


def test_code_stands_between_the_texts_around_it() -> None:
    parts = [text("a"), code("1"), ran("1"), text("b")]
    ran_here = code_chunks("e1-code-1", "1", "1")
    shown = [*step(*said("0", "a"), *ran_here, *said("1", "b")), finish()]
    assert encoded(event(*parts)) == shown
    assert encoded(*map(partial, parts), event(*parts)) == shown


def test_a_code_result_in_an_event_of_its_own_answers_its_code() -> None:
    chunks = encoded(event(code("1")), event(ran("1"), id="e2"))
    asked, answered = code_chunks("e1-code-1", "1", "1")
    assert chunks == [*step(asked), *step(answered), finish()]


def test_a_code_result_without_code_is_not_shown() -> None:
    assert encoded(event(ran("1"))) == [finish()]
