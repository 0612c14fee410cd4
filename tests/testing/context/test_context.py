"""Reading the newest message, and what was done about it, out of a request's contents."""

import json
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.flows.llm_flows.context._contents import (
    _get_contents,  # pyright: ignore[reportPrivateUsage]
)
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.context.listing import listing


def user(*texts: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text) for text in texts])


def model(*parts: types.Part) -> types.Content:
    return types.Content(role="model", parts=list(parts))


def results(*parts: types.Part) -> types.Content:
    return types.Content(role="user", parts=list(parts))


def call(name: str, call_id: str | None = None, **args: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=args, id=call_id))


def result(name: str, call_id: str | None = None, **response: Any) -> types.Part:
    return types.Part(
        function_response=types.FunctionResponse(name=name, response=response, id=call_id)
    )


def test_the_message_is_the_newest_text_of_the_user() -> None:
    context = Context([user("old"), model(types.Part(text="yes")), user("new", "lines")])
    assert context.message() == "new\nlines"
    assert context.rounds() == []


def test_calls_before_the_message_do_not_count() -> None:
    before = [user("old"), model(call("f")), results(result("f"))]
    assert Context([*before, user("new")]).rounds() == []


def test_results_without_ids_are_matched_by_name_and_order() -> None:
    asked = model(types.Part(text="so"), call("f", n=1), call("g"), call("f", n=2))
    context = Context([user("go"), asked, results(result("f", r=1), result("f", r=2))])
    assert context.rounds() == [
        [Outcome("f", {"n": 1}, {"r": 1}), Outcome("g", {}, None), Outcome("f", {"n": 2}, {"r": 2})]
    ]


def test_ids_win_where_both_sides_have_them() -> None:
    asked = model(call("f", "a"), call("f", "b"))
    context = Context([user("go"), asked, results(result("f", "b", r=2), result("f", "a", r=1))])
    assert context.rounds() == [[Outcome("f", {}, {"r": 1}), Outcome("f", {}, {"r": 2})]]


def test_each_model_turn_with_calls_is_a_round() -> None:
    first = [model(call("f")), results(result("f"))]
    second = [model(call("g")), results(result("g"))]
    assert len(Context([user("go"), *first, *second]).rounds()) == 2


def test_an_empty_context_is_no_trouble() -> None:
    assert Context([]).message() == ""
    assert Context([]).rounds() == []
    assert not Context([]).due()


def test_a_late_result_leads_back_to_its_message() -> None:
    before = [user("first"), model(call("f", "1"), call("g", "2"))]
    between = [user("second"), model(call("f", "3"))]
    context = Context([*before, *between, results(result("f", "1", r=1))])
    assert context.message() == "first"
    assert context.rounds() == [[Outcome("f", {}, {"r": 1}), Outcome("g", {}, None)]]
    assert Context([*before, *between]).message() == "second"


def test_a_late_result_without_an_id_goes_to_the_newest_open_call() -> None:
    asked = [user("first"), model(call("f")), user("second"), model(call("f"))]
    once = [*asked, results(result("f", r=2))]
    assert Context(once).message() == "second"
    assert Context([*once, results(result("f", r=1))]).message() == "first"


def test_the_model_is_due_after_a_message_and_after_the_last_result() -> None:
    asked = [user("go"), model(call("f", "1"), call("f", "2"))]
    one, two = results(result("f", "2")), results(result("f", "1"))
    said = model(types.Part(text="so"))
    states = [
        Context(contents).due()
        for contents in (
            asked[:1],
            asked,
            [*asked, one],
            [*asked, one, two],
            [*asked, one, two, said],
            [*asked, one, results(result("f", "3"))],
        )
    ]
    assert states == [True, False, False, True, False, False]


def test_a_result_that_will_be_continued_is_none_yet() -> None:
    more = types.FunctionResponse(name="f", id="1", response={"r": 1}, will_continue=True)
    context = Context(
        [user("go"), model(call("f", "1")), results(types.Part(function_response=more))]
    )
    assert context.rounds() == [[Outcome("f", {}, None)]]
    assert not context.due()


def test_the_last_result_of_a_call_counts() -> None:
    asked = [user("go"), model(call("f", "1"))]
    context = Context([*asked, results(result("f", "1", r=1)), results(result("f", "1", r=2))])
    assert context.rounds() == [[Outcome("f", {}, {"r": 2})]]


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


def test_the_listing_shows_everything_but_the_bytes_of_files() -> None:
    declaration = types.FunctionDeclaration(name="f")
    thought = types.Part(text="hm", thought=True)
    picture = types.Part(inline_data=types.Blob(mime_type="image/png", data=b"1234"))
    link = types.Part(file_data=types.FileData(mime_type="text/plain", file_uri="gs://b/f"))
    config = types.GenerateContentConfig(
        system_instruction="Be kind.", tools=[types.Tool(function_declarations=[declaration])]
    )
    contents = [
        types.Content(role="user", parts=[types.Part(text="こんにちは"), picture, link]),
        model(thought, call("f", "1", a=1)),
        results(result("f", "1", r=2)),
    ]
    assert json.loads(listing(Context.of(LlmRequest(contents=contents, config=config)))) == {
        "system_instruction": "Be kind.",
        "tools": ["f"],
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "こんにちは"},
                    {"inline_data": {"mime_type": "image/png", "size": 4}},
                    {"file_data": {"mime_type": "text/plain", "file_uri": "gs://b/f"}},
                ],
            },
            {
                "role": "model",
                "parts": [
                    {"text": "hm", "thought": True},
                    {"function_call": {"name": "f", "args": {"a": 1}, "id": "1"}},
                ],
            },
            {
                "role": "user",
                "parts": [{"function_response": {"name": "f", "response": {"r": 2}, "id": "1"}}],
            },
        ],
    }
