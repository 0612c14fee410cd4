"""Live events to the same chunks as those of a request: text, reasoning, files, calls."""

from typing import Any

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.calls import Calls
from adk_stream_protocol.convert.encode.live import LiveProgress, LiveTurnEncoder
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    File,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    TextDelta,
    TextStart,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputAvailable,
)
from tests.support.events import (
    ARGS,
    call,
    calls,
    event,
    finish,
    notes,
    partial,
    pay_asked,
    response,
    said,
    step,
    text,
)

DONE = event(turn_complete=True)
ASKED = event(
    call("c1", "pay", args=ARGS),
    custom_metadata=notes(c1={"gated": True, "approvalId": "a1"}),
)
REQUEST: list[AnyChunk] = [
    ToolInputStart(tool_call_id="c1", tool_name="pay"),
    ToolInputAvailable(tool_call_id="c1", tool_name="pay", input=ARGS),
    ToolApprovalRequest(approval_id="a1", tool_call_id="c1"),
]
PAID = ToolOutputAvailable(tool_call_id="c1", output={"ok": 1})


def live(*events: Event, **options: Any) -> list[AnyChunk]:
    """The chunks of a whole live turn after its `start`. Each event has an id of its own."""
    encoder = LiveTurnEncoder("m1", **options)
    numbered = [one.model_copy(update={"id": f"e{n}"}) for n, one in enumerate(events)]
    chunks = [chunk for one in numbered for chunk in encoder.encode(one)]
    return [*chunks, *encoder.finish()]


def waiting() -> Calls:
    known = calls([ASKED])
    assert [one.id for one in known.open()] == ["c1"]
    return known


@pytest.mark.parametrize(
    "events",
    [
        [partial(text("a ")), partial(text("b")), event(text("a b")), DONE],
        [partial(text("a ")), partial(text("b")), event(text("a b"))],
        [partial(text("a ")), partial(text("b"))],
        [partial(text("a ")), partial(text("b")), event(text("a b"), interrupted=True)],
    ],
    ids=["completed", "not completed", "not repeated", "interrupted"],
)
def test_streamed_text_is_sent_once(events: list[Event]) -> None:
    assert live(*events) == [*step(*said("0", "a ", "b")), finish()]


def test_text_that_came_whole_is_sent_whole() -> None:
    assert live(event(text("a b")), DONE) == [*step(*said("0", "a b")), finish()]


def test_only_what_was_not_streamed_is_taken_from_the_repetition() -> None:
    assert live(partial(text("a ")), event(text("a b")), DONE) == [
        *step(*said("0", "a ", "b")),
        finish(),
    ]


def test_the_texts_before_and_after_a_turn_of_the_models_are_two_parts() -> None:
    first, second = partial(text("one")), partial(text("two"))
    chunks = live(first, event(text("one")), DONE, second, event(text("two")), DONE)
    assert chunks == [*step(*said("0", "one")), *step(*said("1", "two")), finish()]


def test_an_interruption_closes_the_part_and_forgets_what_was_streamed() -> None:
    chunks = live(partial(text("one")), event(interrupted=True), DONE, event(text("two")), DONE)
    assert chunks == [*step(*said("0", "one")), *step(*said("1", "two")), finish()]


def test_reasoning_and_text_are_counted_apart() -> None:
    chunks = live(
        partial(text("hm ", thought=True)),
        partial(text("so", thought=True)),
        event(text("hm so", thought=True)),
        partial(text("a")),
        event(text("a")),
        DONE,
    )
    expected: list[AnyChunk] = [
        ReasoningStart(id="0"),
        ReasoningDelta(id="0", delta="hm "),
        ReasoningDelta(id="0", delta="so"),
        TextStart(id="1"),
        TextDelta(id="1", delta="a"),
        ReasoningEnd(id="0"),
    ]
    assert chunks == [*step(*expected, *said("1", "a")[-1:]), finish()]


def test_a_call_closes_the_text_before_it_and_asks() -> None:
    chunks = live(partial(text("Sure.")), event(text("Sure.")), ASKED)
    assert chunks == [*step(*said("0", "Sure."), *REQUEST), finish("tool-calls")]


def test_a_call_of_a_model_that_said_nothing_opens_a_step() -> None:
    assert live(ASKED) == [*step(*REQUEST), finish("tool-calls")]


def test_the_result_and_the_words_after_it() -> None:
    result = event(response("c1", "pay", {"ok": 1}))
    known = calls(pay_asked())
    known.by_id["c1"].decision, known.by_id["c1"].gated = True, True
    chunks = live(result, partial(text("Paid.")), event(text("Paid.")), DONE, calls=known)
    assert chunks == [PAID, *step(*said("0", "Paid.")), finish()]


def test_words_while_a_call_waits_join_its_step() -> None:
    """The stock helpers look at the last step only: the call must stay in it."""
    chunks = live(partial(text("Still there?")), DONE, calls=waiting(), joins=True)
    assert chunks == [*said("0", "Still there?"), finish("tool-calls")]


def test_words_after_the_result_of_a_joined_step_have_their_own() -> None:
    known = waiting()
    chunks = live(
        partial(text("Still there?")),
        DONE,
        event(response("c1", "pay", {"ok": 1})),
        event(text("Paid.")),
        DONE,
        calls=known,
        joins=True,
    )
    assert chunks == [*said("0", "Still there?"), PAID, *step(*said("1", "Paid.")), finish()]


def test_text_is_held_until_the_last_approval_of_the_turn() -> None:
    asked = live(partial(text("Sure.")), event(text("Sure.")), ASKED, approvals="adk-tool")
    assert [chunk for chunk in asked if isinstance(chunk, TextDelta)] == []
    chunks = live(partial(text("a ")), partial(text("b")), event(text("a b")), approvals="adk-tool")
    assert chunks == [*step(*said("0", "a ", "b")), finish()]


def test_a_picture_is_a_file_of_the_response() -> None:
    blob = types.Blob(mime_type="image/png", data=b"png")
    picture = partial(types.Part(inline_data=blob))
    file = File(url="data:image/png;base64,cG5n", media_type="image/png")
    shown = [*step(*said("0", "Look:"), file, *said("1", "A dot.")), finish()]
    assert live(partial(text("Look:")), picture, partial(text("A dot.")), DONE) == shown
    assert live(picture, DONE) == [*step(file), finish()]


def test_a_file_elsewhere_is_a_file_too() -> None:
    data = types.FileData(file_uri="https://example.org/a.png", mime_type="image/png")
    file = File(url="https://example.org/a.png", media_type="image/png")
    assert live(event(types.Part(file_data=data)), DONE) == [*step(file), finish()]


def test_an_agent_that_takes_over_is_announced() -> None:
    moved = event(response("t1", "transfer_to_agent", {}), actions={"transfer_to_agent": "billing"})
    notice = Data(type="data-agent", data={"from": "agent", "to": "billing"})
    assert live(moved, DONE) == [notice, finish()]


def test_usage_and_errors_come_with_events_of_their_own() -> None:
    usage = event(usage_metadata={"prompt_token_count": 1, "total_token_count": 3})
    done = live(partial(text("a")), event(text("a")), usage, DONE)
    assert done == [*step(*said("0", "a")), finish(usage={"inputTokens": 1, "totalTokens": 3})]
    failed = live(event(error_code="429"), DONE)
    assert [chunk.__class__.__name__ for chunk in failed] == ["Error"]


def test_what_the_model_runs_itself_is_shown_in_the_step_of_its_words() -> None:
    code = types.ExecutableCode(code="1+1", language=types.Language.PYTHON)
    ran = types.CodeExecutionResult(outcome=types.Outcome.OUTCOME_OK, output="2")
    chunks = live(
        partial(text("Let me see. ")),
        event(types.Part(executable_code=code)),
        event(types.Part(code_execution_result=ran)),
        partial(text("2.")),
        DONE,
    )
    run: dict[str, Any] = {"tool_call_id": "e1-code-1", "provider_executed": True}
    inner: list[AnyChunk] = [
        ToolInputAvailable(
            tool_name="code_execution", input={"language": "PYTHON", "code": "1+1"}, **run
        ),
        ToolOutputAvailable(output={"outcome": "OUTCOME_OK", "output": "2"}, **run),
    ]
    assert chunks == [*step(*said("0", "Let me see. "), *inner, *said("1", "2.")), finish()]


def test_what_one_turn_streamed_the_next_does_not_repeat() -> None:
    first = LiveTurnEncoder("m1")
    assert TextDelta(id="0", delta="Let me ") in first.encode(spoken("Let me ", finished=False))
    next_one = LiveTurnEncoder("m1", after=first)
    assert next_one.encode(spoken("Let me ")) == []
    assert TextDelta(id="0", delta="see.") in next_one.encode(spoken("see."))


def test_a_decision_from_elsewhere_frees_what_the_model_owes() -> None:
    progress = LiveProgress()
    progress.sent()
    assert progress.owes_more
    progress.abandon()
    assert not progress.owes_more


def spoken(words: str, *, finished: bool = True) -> Event:
    speech = types.Transcription(text=words, finished=finished)
    return event(output_transcription=speech, partial=not finished)


def test_held_text_goes_on_with_its_message_and_with_no_other() -> None:
    before = LiveTurnEncoder("m1", approvals="adk-tool")
    for one in (partial(text("Sure.")), event(text("Sure.")), ASKED):
        before.encode(one)
    assert said("0", "Sure.")[1] not in before.finish()
    known = calls([ASKED, event(response("c1", "pay", {"ok": 1}))])
    same = LiveTurnEncoder("m1", approvals="adk-tool", calls=known, after=before)
    assert same.finish() == [*step(*said("0", "Sure.")), finish()]
    other = LiveTurnEncoder("m2", approvals="adk-tool", after=before)
    assert other.finish() == [finish()]
