"""Directive lines and the model turns they stand for."""

import pytest

from adk_stream_protocol.testing.script.actions import (
    Call,
    Drop,
    Echo,
    Fail,
    GoAway,
    Hang,
    Hold,
    Image,
    Interrupt,
    Release,
    Say,
    Think,
    Turn,
    Withdraw,
    say,
)
from adk_stream_protocol.testing.script.directives import has_directives, parse


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        ("/say 3", [Say(("1 ", "2 ", "3 "))]),
        ("/say 0", [Say(())]),
        ("/SAY 1", [Say(("1 ",))]),
        ("/think so it is", [Think(("so ", "it ", "is")), say("Done.")]),
        ("/call get_location", [Call("get_location", {})]),
        ('/call f {"a": [1, {"b": null}]}', [Call("f", {"a": [1, {"b": None}]})]),
        ("/echo", [Echo()]),
        ("/error 429", [Fail("429")]),
        ("/error safety", [Fail("SAFETY")]),
        ("/hang 0.5", [Hang(0.5)]),
        ("/hold a b", [Hold("a b")]),
        ("/release a b\n/say 1", [Release("a b"), Say(("1 ",))]),
        ("/drop 2", [Say(("1 ", "2 ")), Drop()]),
        ("/image", [Image()]),
        ("/goaway", [GoAway()]),
        ("/interrupt", [Interrupt()]),
        ("/withdraw", [Withdraw()]),
        ("/then", []),
    ],
)
def test_each_directive(line: str, turn: Turn) -> None:
    assert has_directives(line)
    assert parse(line)[0] == turn


def test_lines_of_one_turn_stay_together_and_then_starts_the_next() -> None:
    message = "Please do this:\n/think hm\n/call a {}\n/call b\n  /then\n/say 1\nThat is all."
    assert parse(message) == [[Think(("hm",)), Call("a"), Call("b")], [Say(("1 ",))]]


@pytest.mark.parametrize("message", ["hello", "/sayings 3", "/unknown", "", "a /say 3"])
def test_other_messages_hold_no_directives(message: str) -> None:
    assert not has_directives(message)


@pytest.mark.parametrize(
    "line",
    [
        "/say",
        "/say many",
        "/say -1",
        "/say 100001",
        "/call",
        "/call f {broken",
        "/call f [1]",
        "/hang soon",
        "/hold",
        "/release",
        "/hang -1",
        "/hang nan",
        "/hang inf",
        "/error",
        "/drop",
    ],
)
def test_a_line_that_cannot_be_read_is_named_in_the_answer(line: str) -> None:
    ((said,),) = parse(f"/say 1\n{line}\n/then\n/echo")
    assert isinstance(said, Say)
    assert repr(line) in "".join(said.deltas)
