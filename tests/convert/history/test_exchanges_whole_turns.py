"""The end of a conversation that was cut somewhere: whole turns of it, and nothing taken back."""

import pytest
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.genai import types

from adk_stream_protocol.convert.history.exchanges import whole_turns


def user(text: str, run: str = "i") -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return Event(author="user", invocation_id=run, content=content)


def model(text: str, run: str = "i") -> Event:
    content = types.Content(role="model", parts=[types.Part(text=text)])
    return Event(author="assistant", invocation_id=run, content=content)


def taken_back(to: str) -> Event:
    actions = EventActions(rewind_before_invocation_id=to)
    return Event(author="user", invocation_id="rewind", actions=actions)


ONE, TWO = [user("one", "i1"), model("1", "i1")], [user("two", "i2"), model("2", "i2")]


@pytest.mark.parametrize(
    ("events", "kept"),
    [
        ([], []),
        ([model("half", "i0")], []),
        ([*ONE, *TWO], [*ONE, *TWO]),
        ([model("half", "i0"), *TWO], TWO),
        # What was taken back is all there: ADK leaves it out.
        ([*ONE, *TWO, taken_back("i2")], [*ONE, *TWO, taken_back("i2")]),
        # Its beginning is not: all before the rewind may have been taken back.
        ([*TWO, taken_back("i1")], []),
        ([*TWO, taken_back("i1"), *ONE], ONE),
    ],
)
def test_whole_turns(events: list[Event], kept: list[Event]) -> None:
    found = [(one.invocation_id, one.content) for one in whole_turns(events)]
    assert found == [(one.invocation_id, one.content) for one in kept]
