"""How a turn is closed: done, failed, stopped; and what its end says."""

from typing import Any

import pytest
from google.genai import types

from adk_stream_protocol.convert.encode.endings import Failure
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Error,
    FinishReason,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputAvailable,
)
from tests.support.events import (
    call,
    encoded,
    event,
    finish,
    partial,
    response,
    said,
    step,
    text,
)
from tests.support.failure_codes import CODES


def usage(prompt: int, answer: int) -> dict[str, Any]:
    return {"usage_metadata": {"prompt_token_count": prompt, "candidates_token_count": answer}}


@pytest.mark.parametrize(
    ("reason", "word"),
    [(types.FinishReason.STOP, "stop"), ("MAX_TOKENS", "length"), ("OTHER", "other")],
)
def test_the_finish_reason_is_that_of_the_last_response(reason: Any, word: FinishReason) -> None:
    first = event(text("a"), finish_reason="SAFETY")
    chunks = encoded(first, event(text("b"), id="e2", finish_reason=reason), event(id="e3"))
    assert chunks == [*step(*said("0", "a")), *step(*said("1", "b")), finish(word)]


def test_usage_is_summed_and_the_model_named() -> None:
    chunks = encoded(
        partial(text("a"), **usage(3, 1)),
        event(text("a"), model_version="v1", **usage(3, 1)),
        event(text("b"), id="e2", model_version="v2", **usage(5, 2)),
    )
    end = finish(usage={"inputTokens": 8, "outputTokens": 3}, modelVersion="v2")
    assert chunks == [*step(*said("0", "a")), *step(*said("1", "b")), end]


def test_usage_of_a_last_piece_without_parts_is_counted_once() -> None:
    chunks = encoded(
        partial(text("a")),
        partial(content=types.Content(role="model"), finish_reason="STOP", **usage(3, 1)),
        event(text("a"), finish_reason="STOP", **usage(3, 1)),
    )
    assert chunks == [*step(*said("0", "a")), finish(usage={"inputTokens": 3, "outputTokens": 1})]


@pytest.mark.parametrize(("code", "word"), [("MAX_TOKENS", "length"), ("SAFETY", "content-filter")])
def test_a_cut_answer_with_text_is_an_answer(code: str, word: FinishReason) -> None:
    chunks = encoded(partial(text("a")), event(text("a"), error_code=code))
    assert chunks == [*step(*said("0", "a")), finish(word)]


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content-filter"),
        ("MODEL_RETURNED_NO_CONTENT", "no-answer"),
        ("500", "model-unavailable"),
    ],
)
def test_an_error_code_without_an_answer_fails_the_turn(code: str, failure: str) -> None:
    text_ = Failure(failure).text
    assert encoded(event(error_code=code)) == [Error(error_text=f"{text_} ({failure})")]


def test_an_error_code_of_the_model_fails_the_turn_after_text() -> None:
    chunks = encoded(partial(text("a")), event(error_code="503"))
    error = Error(error_text=f"{Failure('model-unavailable').text} (model-unavailable)")
    assert chunks == [*step(*said("0", "a")), error]


def test_a_filtered_answer_after_a_tool_result_is_an_error() -> None:
    chunks = encoded(
        event(call("c1", "pay")),
        event(response("c1", "pay", {}), id="e2"),
        event(error_code="SAFETY", id="e3"),
    )
    error = Error(error_text=f"{Failure('content-filter').text} (content-filter)")
    tool: list[AnyChunk] = [
        ToolInputStart(tool_call_id="c1", tool_name="pay"),
        ToolInputAvailable(tool_call_id="c1", tool_name="pay", input={}, provider_executed=True),
        ToolOutputAvailable(tool_call_id="c1", output={}, provider_executed=True),
    ]
    assert chunks == [*step(*tool), error]


@pytest.mark.parametrize("code", CODES)
def test_a_failure_closes_everything_and_names_code_and_reference(code: str) -> None:
    encoder = TurnEncoder("m1", reference="r1")
    chunks = [*encoder.encode(partial(text("a"))), *encoder.fail(Failure(code))]
    error = Error(error_text=f"{Failure(code).text} ({code}, reference r1)")
    assert chunks == [*step(*said("0", "a")), error]


def test_a_failure_before_anything_is_only_an_error() -> None:
    error = Error(error_text=f"{Failure('internal').text} (internal)")
    assert TurnEncoder("m1").fail(Failure("internal")) == [error]


def test_a_stop_closes_everything_and_is_no_error() -> None:
    encoder = TurnEncoder("m1")
    answer = event(text("a"), model_version="v1", **usage(1, 1))
    chunks = [*encoder.encode(answer), *encoder.encode(partial(text("b"), id="e2"))]
    end = finish("other", usage={"inputTokens": 1, "outputTokens": 1}, modelVersion="v1")
    assert [*chunks, *encoder.stop()] == [*step(*said("0", "a")), *step(*said("1", "b")), end]


def test_a_stop_before_anything_is_only_a_finish() -> None:
    assert TurnEncoder("m1").stop() == [finish("other")]
