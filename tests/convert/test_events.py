"""Who said the last thing, and what the model said."""

import pytest
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.events import ends_with_user, has_waiting_calls, texts_of


def said(author: str, text: str, live_session_id: str | None = None) -> Event:
    role = "user" if author == "user" else "model"
    content = types.Content(role=role, parts=[types.Part(text=text)])
    return Event(author=author, content=content, live_session_id=live_session_id)


def heard(author: str, *, finished: bool = True) -> Event:
    speech = types.Transcription(text="hello", finished=finished)
    if author == "user":
        return Event(author=author, input_transcription=speech)
    return Event(author=author, output_transcription=speech)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], False),
        ([said("user", "hi")], True),
        ([said("user", "hi"), said("agent", "hello")], False),
        ([said("user", "hi"), said("agent", "hello"), Event(author="agent")], False),
        ([said("user", "hi"), said("agent", "hello", live_session_id="s1")], True),
        ([heard("user")], True),
        ([heard("user"), heard("agent")], False),
        ([Event(author="agent")], False),
    ],
)
def test_who_has_the_last_word(events: list[Event], expected: bool) -> None:
    assert ends_with_user(events) is expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (said("user", "hi"), []),
        (said("agent", "hello"), ["hello"]),
        (Event(author="agent"), []),
        (heard("agent"), ["hello"]),
        (heard("agent", finished=False), []),
    ],
)
def test_what_the_model_said(event: Event, expected: list[str]) -> None:
    assert texts_of(event) == expected


def test_thoughts_are_not_said() -> None:
    parts = [types.Part(text="hm", thought=True), types.Part(text="yes")]
    event = Event(author="agent", content=types.Content(role="model", parts=parts))
    assert texts_of(event) == ["yes"]


def test_calls_wait_if_adk_says_that_they_run_long() -> None:
    assert has_waiting_calls(Event(author="agent", long_running_tool_ids={"c1"}))
    assert not has_waiting_calls(Event(author="agent", long_running_tool_ids=set()))
    assert not has_waiting_calls(Event(author="agent"))
