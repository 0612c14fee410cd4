"""How far a script has been played, told from the context alone."""

import pytest
from google.genai import types

from adk_stream_protocol.testing.actions import Call, Say, Turn, say
from adk_stream_protocol.testing.context import Context
from adk_stream_protocol.testing.script import next_turn

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
    assert next_turn(context(SCRIPT, *rounds)) == REST[rest]


def test_after_the_last_call_comes_a_report() -> None:
    report = say("The call of f returned {}, and the call of g returned {}.")
    assert next_turn(context("/call f\n/call g", "f", "g")) == [report]


def test_after_the_script_comes_a_report() -> None:
    assert isinstance(next_turn(context("/say 1", "f"))[0], Say)
