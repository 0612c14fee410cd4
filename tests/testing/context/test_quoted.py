"""What ADK quotes of other agents and of live runs, read as what it was."""

import pytest
from google.adk.events.event import Event
from google.adk.flows.llm_flows.context._contents import (
    _get_contents,  # pyright: ignore[reportPrivateUsage]
)
from google.genai import types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.context.quoted import unquote
from tests.support.contents import call, model, result, results, user


def event(author: str, content: types.Content, live: bool) -> Event:
    session = "live-1" if live else None
    return Event(invocation_id="i", author=author, content=content, live_session_id=session)


@pytest.mark.parametrize(("author", "live"), [("me", True), ("other", False)])
def test_what_adk_quotes_is_read_as_what_it_was(author: str, live: bool) -> None:
    events = [
        event("user", user("go"), live=False),
        event(author, model(types.Part(text="So."), call("f", "1", to="花子")), live),
        event(author, results(result("f", "1", note="it's")), live),
    ]
    contents = _get_contents(None, events, "me")
    assert all(content.role == "user" for content in contents)
    assert Context(contents).message() == "go"
    assert Context(contents).rounds() == [[Outcome("f", {"to": "花子"}, {"note": "it's"})]]


def test_an_instruction_in_the_role_of_the_user_is_no_message() -> None:
    instruction = "<<<BEGIN_SYSTEM_INSTRUCTION>>>\nBe kind.\n<<<END_SYSTEM_INSTRUCTION>>>"
    assert Context([user("hello"), user(instruction)]).message() == "hello"


def test_what_is_not_quoted_stays_as_it_is() -> None:
    for content in (user("go"), model(types.Part(text="yes")), types.Content(role="user")):
        assert unquote(content) is content
