"""Where a turn ends among the events of a live run, and whether the model owes more."""

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.calls import Calls
from adk_stream_protocol.convert.encode.live import LiveProgress, is_waiting
from tests.support.events import (
    call,
    calls,
    event,
    locate_asked,
    partial,
    pay_asked,
    pay_decided,
    response,
    text,
)

DONE = event(turn_complete=True)
INTERRUPTED = event(interrupted=True)
WAITING = calls(pay_asked())
RUNNING = calls(pay_decided(True))
BOTH = calls(locate_asked(), [event(call("c9", "weather"))])
CALL = event(call("c1", "pay"))
RESULT = event(response("c1", "pay", {}))
SPOKEN = event(output_transcription=types.Transcription(text="a", finished=True))
SOUND = event(types.Part(inline_data=types.Blob(mime_type="audio/pcm", data=b"1")))
HEARD = event(author="user", input_transcription=types.Transcription(text="a", finished=True))
HEARING = partial(author="user", input_transcription=types.Transcription(text="a"))


def after(*events: Event, known: Calls | None = None, at_once: bool = True) -> list[bool]:
    """Whether the turn is over after each of these events."""
    progress = LiveProgress()
    progress.connected(sends_calls_immediately=at_once)
    progress.sent()
    return [progress.is_over_after(one, known or Calls()) for one in events]


@pytest.mark.parametrize(
    ("events", "known", "expected"),
    [
        ([partial(text("a")), event(text("a")), DONE], Calls(), [False, False, True]),
        ([SPOKEN, DONE], Calls(), [False, True]),
        ([partial(text("a")), INTERRUPTED, DONE], Calls(), [False, False, True]),
        ([INTERRUPTED, DONE], Calls(), [False, True]),
        ([RESULT, INTERRUPTED, DONE], Calls(), [False, False, False]),
        ([CALL], WAITING, [True]),
        ([CALL], calls(locate_asked()), [True]),
        ([CALL], RUNNING, [False]),
        ([CALL], BOTH, [False]),
        ([RESULT], RUNNING, [False]),
        ([RESULT], WAITING, [True]),
        ([CALL, DONE], RUNNING, [False, False]),
        ([DONE], WAITING, [True]),
        ([partial(text("a")), event(text("a"))], WAITING, [False, True]),
        ([SPOKEN], WAITING, [True]),
        ([SOUND, SPOKEN], WAITING, [False, True]),
        ([event(text("a"))], RUNNING, [False]),
        ([HEARING, HEARD], Calls(), [False, False]),
        ([event(usage_metadata={"total_token_count": 1})], Calls(), [False]),
        ([event(error_code="429")], Calls(), [False]),
    ],
    ids=[
        "text and its end",
        "speech and its end",
        "interrupted while it spoke",
        "interrupted before it began",
        "interrupted before it answers a result",
        "a call that waits for a person",
        "a call that waits for the browser",
        "a call that runs",
        "one that waits beside one that runs",
        "a result that the model answers",
        "a result while another call waits",
        "the model is done before the tool",
        "the model is done while a call waits",
        "all is said while a call waits",
        "all is spoken while a call waits",
        "the sound of it before",
        "all is said while a call runs",
        "the user speaks",
        "usage alone",
        "an error alone",
    ],
)
def test_a_turn_is_over(events: list[Event], known: Calls, expected: list[bool]) -> None:
    assert after(*events, known=known) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (types.InteractionStatus.IN_PROGRESS, False),
        (types.InteractionStatus.INTERACTION_STATUS_UNSPECIFIED, True),
        (None, True),
    ],
)
def test_a_model_may_say_that_more_follows(
    status: types.InteractionStatus | None, expected: bool
) -> None:
    assert after(event(turn_complete=True, interaction_status=status)) == [expected]


def test_the_end_of_the_calling_turn_is_no_end_for_models_that_have_one() -> None:
    """They end a turn to call, and answer the result in another."""
    events = [CALL, DONE, RESULT, event(text("a")), DONE]
    assert after(*events, at_once=False) == [False, False, False, False, True]
    assert after(*events, at_once=True) == [False, True, False, False, True]


def test_a_new_link_ends_no_turn_of_the_old_one() -> None:
    progress = LiveProgress()
    progress.connected(sends_calls_immediately=False)
    progress.is_over_after(CALL, Calls())
    progress.connected(sends_calls_immediately=False)
    assert progress.is_over_after(DONE, Calls())


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], True),
        ([HEARING], True),
        ([HEARD], True),
        ([partial(text("a"))], True),
        ([event(text("a"))], True),
        ([partial(text("a")), DONE], False),
        ([partial(text("a")), INTERRUPTED], True),
        ([partial(text("a")), INTERRUPTED, DONE], False),
        ([CALL], False),
        ([CALL, RESULT], True),
    ],
)
def test_the_model_owes_more_until_its_turn_is_over(events: list[Event], expected: bool) -> None:
    progress = LiveProgress()
    assert not progress.owes_more
    progress.sent()
    for one in events:
        progress.is_over_after(one, Calls())
    assert progress.owes_more is expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [(Calls(), False), (WAITING, True), (RUNNING, False), (BOTH, False)],
)
def test_waiting_is_when_nothing_else_goes_on(known: Calls, expected: bool) -> None:
    assert is_waiting(known) is expected


def test_the_end_of_a_turn_that_was_over_before_ends_no_other() -> None:
    """All was said while a call waited; the model ends its turn after the answer has come."""
    progress, done = LiveProgress(), calls(pay_decided(True), [RESULT])
    assert progress.is_over_after(event(text("Sure?")), WAITING)
    assert not progress.is_over_after(RESULT, done)
    assert not progress.is_over_after(DONE, done)
    assert not progress.is_over_after(event(text("Paid.")), done)
    assert progress.is_over_after(DONE, done)
