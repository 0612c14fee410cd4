"""Directives: exact control over the model, one per line of the user's message.

    /say N            N numbered deltas          /error CODE     an HTTP status or a finish reason
    /think TEXT       reasoning                  /hang SECONDS   silence
    /call NAME {json} a function call            /drop N         N deltas, then the link breaks
    /echo             the context, as JSON       /image          a PNG
    /hold NAME        silence until a            /release NAME   in whatever chat
    /then             the next model turn        /goaway, /interrupt, /withdraw   live only

All calls up to a `/then` are parallel calls of one model turn; what stands after the `/then` is
played when their results are there. A model turn without a call ends the agent's turn, so nothing
after its `/then` is ever played. Other lines are ignored.
"""

import json
import math
from collections.abc import Callable

from adk_stream_protocol.testing.script.actions import (
    Action,
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
    deltas,
    say,
)

# A typing slip such as `/say 1e9` must not eat the memory of a shared demo.
_MOST_DELTAS = 100_000


def has_directives(message: str) -> bool:
    """Return whether any line of the message is a directive."""
    return any(_split(line)[0] in (*_PARSERS, "/then") for line in message.splitlines())


def parse(message: str) -> list[Turn]:
    """Read the model turns a message asks for; a line that cannot be read is the whole answer."""
    turns: list[Turn] = [[]]
    for line in message.splitlines():
        name, argument = _split(line)
        if name == "/then":
            turns.append([])
        elif name in _PARSERS:
            try:
                turns[-1].extend(_PARSERS[name](argument))
            except ValueError as error:
                return [[say(f"I cannot read the line {line.strip()!r}: {error}")]]
    return [_answered(turn) for turn in turns]


def _split(line: str) -> tuple[str, str]:
    name, _, argument = line.strip().partition(" ")
    return name.lower(), argument.strip()


def _answered(turn: Turn) -> Turn:
    # google-adk 2.13 turns an answer without content, or of nothing but reasoning, into an error.
    says_nothing = turn and all(isinstance(action, Think | Release) for action in turn)
    return [*turn, say("Done.")] if says_nothing else turn


def _numbered(argument: str) -> Say:
    count = int(argument)
    if not 0 <= count <= _MOST_DELTAS:
        raise ValueError(f"a number from 0 to {_MOST_DELTAS} is needed")
    return Say(tuple(f"{number} " for number in range(1, count + 1)))


def _call(argument: str) -> Call:
    name, _, text = argument.partition(" ")
    args = json.loads(text) if text.strip() else {}
    if not name or not isinstance(args, dict):
        raise ValueError("a name and a JSON object are needed")
    return Call(name, args)


def _hang(argument: str) -> Hang:
    seconds = float(argument)
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError("a number of seconds is needed")
    return Hang(seconds)


def _named(argument: str) -> str:
    if not argument:
        raise ValueError("a name is needed")
    return argument


def _fail(argument: str) -> Fail:
    if not argument:
        raise ValueError("an HTTP status or a finish reason is needed")
    return Fail(argument.upper())


_PARSERS: dict[str, Callable[[str], list[Action]]] = {
    "/say": lambda argument: [_numbered(argument)],
    "/think": lambda argument: [Think(deltas(argument))],
    "/call": lambda argument: [_call(argument)],
    "/echo": lambda _: [Echo()],
    "/error": lambda argument: [_fail(argument)],
    "/hang": lambda argument: [_hang(argument)],
    "/hold": lambda argument: [Hold(_named(argument))],
    "/release": lambda argument: [Release(_named(argument))],
    "/drop": lambda argument: [_numbered(argument), Drop()],
    "/image": lambda _: [Image()],
    "/goaway": lambda _: [GoAway()],
    "/interrupt": lambda _: [Interrupt()],
    "/withdraw": lambda _: [Withdraw()],
}
