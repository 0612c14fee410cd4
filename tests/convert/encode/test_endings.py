"""How a turn ends, in the words of the AI SDK and in words for users."""

from typing import Any, get_args

import httpx
import pytest
from google.genai import errors as genai_errors
from google.genai import types

from adk_stream_protocol.convert.encode.endings import Failure, finish_reason, total_usage
from adk_stream_protocol.protocol.chunks import FinishReason
from tests.support.failure_codes import CODES


@pytest.mark.parametrize("reason", list(types.FinishReason))
def test_every_finish_reason_has_a_legal_word(reason: types.FinishReason) -> None:
    assert finish_reason(reason) in get_args(FinishReason)
    assert finish_reason(reason.name) == finish_reason(reason)


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        (None, "stop"),
        ("", "stop"),
        (types.FinishReason.STOP, "stop"),
        (types.FinishReason.FINISH_REASON_UNSPECIFIED, "stop"),
        (types.FinishReason.MAX_TOKENS, "length"),
        (types.FinishReason.SAFETY, "content-filter"),
        ("JAILBREAK", "content-filter"),
        (types.FinishReason.MALFORMED_FUNCTION_CALL, "error"),
        (types.FinishReason.OTHER, "other"),
        ("ADDED_LATER", "other"),
    ],
)
def test_a_finish_reason_has_its_word(reason: Any, word: str) -> None:
    assert finish_reason(reason) == word


@pytest.mark.parametrize("code", CODES)
def test_every_failure_has_a_sentence_for_users(code: str) -> None:
    text = Failure(code).text
    assert text[0].isupper() and text.endswith(".")


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content-filter"),
        ("MALFORMED_FUNCTION_CALL", "error"),
        ("429", "model-busy"),
        ("RESOURCE_EXHAUSTED", "model-busy"),
        ("500", "model-unavailable"),
        ("503", "model-unavailable"),
        ("UNAVAILABLE", "model-unavailable"),
        ("400", "model-refused"),
        ("PERMISSION_DENIED", "model-refused"),
        ("1006", "model-unavailable"),
        ("1008", "model-refused"),
        ("MODEL_RETURNED_NO_CONTENT", "no-answer"),
        ("OTHER", "internal"),
        ("whatever", "internal"),
    ],
)
def test_an_error_code_becomes_a_failure(code: str, failure: str) -> None:
    assert Failure.of_code(code) == Failure(failure)


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (genai_errors.ServerError(503, {}), "model-unavailable"),
        (genai_errors.ClientError(429, {}), "model-busy"),
        (genai_errors.ClientError(403, {}), "model-refused"),
        (ConnectionResetError(), "model-unavailable"),
        (TimeoutError(), "model-unavailable"),
        (httpx.ReadError("gone"), "model-unavailable"),
        (ValueError("secret"), "internal"),
        (SystemExit("x"), "internal"),
    ],
)
def test_an_exception_becomes_a_failure(error: BaseException, failure: str) -> None:
    assert Failure.of_exception(error) == Failure(failure)


def test_usage_has_the_names_of_the_sdk() -> None:
    metadata = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=1,
        candidates_token_count=2,
        thoughts_token_count=3,
        cached_content_token_count=4,
        total_token_count=10,
    )
    assert total_usage([metadata]) == {
        "inputTokens": 1,
        "outputTokens": 2,
        "reasoningTokens": 3,
        "cachedInputTokens": 4,
        "totalTokens": 10,
    }


def test_counts_that_are_missing_or_zero_are_left_out() -> None:
    metadata = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=1, thoughts_token_count=0
    )
    assert total_usage([metadata]) == {"inputTokens": 1}


def test_usage_is_summed_by_name() -> None:
    first = types.GenerateContentResponseUsageMetadata(prompt_token_count=1)
    second = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=2, candidates_token_count=3
    )
    assert total_usage([first, second]) == {"inputTokens": 3, "outputTokens": 3}
