"""Scripts: what a test teaches the model, and how far a turn has been played."""

import pytest
from google.genai import types

from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.script.actions import Call, Say, Turn, say
from adk_stream_protocol.testing.script.script import Script, when

SCRIPT = "/say 1\n/call f\n/call g\n/then\n/call h\n/then\n/say 2"
REST: list[Turn] = [
    [Say(("1 ",)), Call("f"), Call("g")],
    [Call("g")],
    [Call("h")],
    [Say(("1 ", "2 "))],
]


def context(message: str, *rounds: str) -> Context:
    """Calls of tools named by single letters, one word per model turn, all of them answered."""
    contents = [types.Content(role="user", parts=[types.Part(text=message)])]
    for names in rounds:
        calls = [types.Part.from_function_call(name=name, args={}) for name in names]
        results = [types.Part.from_function_response(name=name, response={}) for name in names]
        contents.append(types.Content(role="model", parts=calls))
        contents.append(types.Content(role="user", parts=results))
    return Context(contents)


@pytest.mark.parametrize(
    ("rounds", "rest"),
    [((), 0), (("fg",), 2), (("fg", "h"), 3), (("f",), 1), (("f", "g"), 2), (("f", "g", "h"), 3)],
)
def test_calls_may_be_made_together_or_one_by_one(rounds: tuple[str, ...], rest: int) -> None:
    assert Script().next_turn(context(SCRIPT, *rounds)) == REST[rest]


def test_after_the_last_call_comes_a_report() -> None:
    report = say("The call of f returned {}, and the call of g returned {}.")
    assert Script().next_turn(context("/call f\n/call g", "f", "g")) == [report]


def test_after_the_script_comes_a_report() -> None:
    assert isinstance(Script().next_turn(context("/say 1", "f"))[0], Say)


def greet(message: str) -> list[Turn]:
    return [[say("Hello!")]] if "hello" in message else []


SCRIPT_OF_A_SHOP = Script(
    answers=[
        when(r"cancel order (\d+)", lambda found: [Call("cancel", {"id": int(found[1])})]),
        greet,
        when("hello", lambda found: [say("never said")]),
    ],
    report=lambda message, outcomes: f"{len(outcomes)} done for {message!r}.",
)


@pytest.mark.parametrize(
    ("message", "turn"),
    [
        ("Please CANCEL order 12!", [Call("cancel", {"id": 12})]),
        ("hello", [say("Hello!")]),
        ("hello\n/call f", [Call("f")]),
    ],
)
def test_what_is_taught_answers_in_order_after_directives(message: str, turn: Turn) -> None:
    assert SCRIPT_OF_A_SHOP.next_turn(context(message)) == turn


def test_what_nobody_taught_is_not_understood() -> None:
    said = say("I only understand directives, such as /say 3, and what a test has taught me.")
    assert Script().next_turn(context("hello")) == [said]
    assert SCRIPT_OF_A_SHOP.next_turn(context("bye")) == [said]
    polite = Script(otherwise=lambda message: [[say("Pardon?")]])
    assert polite.next_turn(context("bye")) == [say("Pardon?")]


def test_a_script_writes_its_own_report() -> None:
    told = SCRIPT_OF_A_SHOP.next_turn(context("cancel order 1", "f"))
    assert told == [say("1 done for 'cancel order 1'.")]
