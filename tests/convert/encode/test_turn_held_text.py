"""In the adk-tool style, text waits for the last approval of the turn."""

from typing import Any

import pytest

from adk_stream_protocol.convert.calls import CONFIRMATION
from adk_stream_protocol.convert.encode.endings import Failure
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Error,
    FinishReason,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputAvailable,
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
    partial,
    pay_asked,
    pay_decided,
    placeholder,
    response,
    said,
    step,
    text,
)

ASKED: list[AnyChunk] = [
    ToolInputStart(tool_call_id="c1", tool_name="pay"),
    ToolInputAvailable(tool_call_id="c1", tool_name="pay", input=ARGS, provider_executed=True),
    ToolInputStart(tool_call_id="a1", tool_name=CONFIRMATION),
    ToolInputAvailable(
        tool_call_id="a1",
        tool_name=CONFIRMATION,
        input={
            "originalFunctionCall": {"id": "c1", "name": "pay", "args": ARGS},
            "toolConfirmation": {"hint": "Sure?", "confirmed": False},
        },
    ),
]


def test_text_is_sent_at_the_end_of_the_turn() -> None:
    encoder = TurnEncoder("m1", approvals="adk-tool")
    assert encoder.encode(partial(text("a "))) == []
    assert encoder.encode(partial(text("b"))) == []
    assert encoder.encode(event(text("a b"))) == []
    assert encoder.finish() == [*step(*said("0", "a ", "b")), finish()]


def test_text_before_a_request_is_not_sent() -> None:
    chunks = encoded(
        event(text("I will pay."), call("c1", "pay", args=ARGS)),
        event(confirmation("c1", "a1"), id="e2"),
        placeholder("c1"),
        approvals="adk-tool",
    )
    assert chunks == [*step(*ASKED), finish("tool-calls")]


def test_text_of_before_the_answer_comes_with_the_final_response() -> None:
    chunks = encoded(
        event(response("c1", "pay", {"ok": 1})),
        event(text("Paid."), id="e2"),
        approvals="adk-tool",
        calls=calls(pay_decided(True)),
        held=["I will pay."],
    )
    result = ToolOutputAvailable(tool_call_id="c1", output={"ok": 1}, provider_executed=True)
    earlier, later = step(*said("0", "I will pay.")), step(*said("1", "Paid."))
    assert chunks == [result, *earlier, *later, finish()]


def test_a_denial_is_an_error_of_the_original_call() -> None:
    chunks = encoded(
        event(response("c1", "pay", {"error": "denied"})),
        event(text("Not paid."), id="e2"),
        approvals="adk-tool",
        calls=calls(pay_decided(False)),
    )
    error = ToolOutputError(tool_call_id="c1", error_text="denied", provider_executed=True)
    code = ended("c1", "denied")
    assert chunks == [code, error, *step(*said("0", "Not paid.")), finish()]


@pytest.mark.parametrize("result", [{"error": "expired", "outcome": "expired"}, {"ok": 1}])
def test_a_request_that_nobody_answered_here_ends_with_its_call(result: dict[str, Any]) -> None:
    chunks = encoded(
        event(response("c1", "pay", result)), approvals="adk-tool", calls=calls(pay_asked())
    )
    closed = ToolOutputAvailable(tool_call_id="a1", output={"confirmed": "ok" in result})
    answer: AnyChunk = (
        ToolOutputAvailable(tool_call_id="c1", output=result, provider_executed=True)
        if "ok" in result
        else ToolOutputError(tool_call_id="c1", error_text="expired", provider_executed=True)
    )
    code = [] if "ok" in result else [ended("c1", "expired")]
    assert chunks == [*code, closed, answer, *step(), finish()]


def test_an_answer_is_kept_for_the_end_unless_a_call_is_open() -> None:
    encoder = TurnEncoder("m1", approvals="adk-tool")
    assert not encoder.keeps_answer
    encoder.encode(partial(text("a")))
    assert encoder.keeps_answer
    waiting = TurnEncoder("m1", approvals="adk-tool", calls=calls(pay_asked()), held=["a"])
    assert not waiting.keeps_answer


def test_reasoning_is_not_held() -> None:
    encoder = TurnEncoder("m1", approvals="adk-tool")
    chunks = encoder.encode(event(text("hm", thought=True), text("a")))
    thought = [ReasoningStart(id="0"), ReasoningDelta(id="0", delta="hm"), ReasoningEnd(id="0")]
    assert [*chunks, *encoder.finish()] == [*step(*thought), *step(*said("1", "a")), finish()]


def test_held_texts_of_interleaved_responses_do_not_mix() -> None:
    chunks = encoded(
        partial(text("a1 "), id="e1", author="a"),
        partial(text("b1 "), id="e2", author="b"),
        partial(text("a2"), id="e1", author="a"),
        partial(text("b2"), id="e2", author="b"),
        approvals="adk-tool",
    )
    assert chunks == [*step(*said("0", "a1 ", "a2")), *step(*said("1", "b1 ", "b2")), finish()]


def test_a_failure_sends_held_text_first() -> None:
    encoder = TurnEncoder("m1", approvals="adk-tool", held=["before"])
    encoder.encode(partial(text("a")))
    error = Error(error_text=f"{Failure('internal').text} (internal)")
    chunks = encoder.fail(Failure("internal"))
    assert chunks == [*step(*said("0", "before")), *step(*said("1", "a")), error]


def test_a_stop_sends_held_text_first() -> None:
    encoder = TurnEncoder("m1", approvals="adk-tool", held=["before"])
    encoder.encode(partial(text("a")))
    chunks = encoder.stop()
    assert chunks == [*step(*said("0", "before")), *step(*said("1", "a")), finish("other")]


@pytest.mark.parametrize(("code", "word"), [("MAX_TOKENS", "length"), ("SAFETY", "content-filter")])
def test_a_cut_answer_with_held_text_is_an_answer(code: str, word: FinishReason) -> None:
    chunks = encoded(partial(text("a")), event(text("a"), error_code=code), approvals="adk-tool")
    assert chunks == [*step(*said("0", "a")), finish(word)]


def test_a_held_text_of_an_earlier_response_does_not_excuse_a_filtered_one() -> None:
    chunks = encoded(
        event(response("c1", "pay", {"ok": 1})),
        event(error_code="SAFETY", id="e2"),
        approvals="adk-tool",
        calls=calls(pay_decided(True)),
        held=["I will pay."],
    )
    result = ToolOutputAvailable(tool_call_id="c1", output={"ok": 1}, provider_executed=True)
    error = Error(error_text=f"{Failure('content-filter').text} (content-filter)")
    assert chunks == [result, *step(*said("0", "I will pay.")), error]
