"""The actions of a model in one turn, as plain values; how they are played is not known here."""

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """Text, in the pieces it is streamed in."""

    deltas: tuple[str, ...]


@dataclass(frozen=True)
class Think:
    """Reasoning, in the pieces it is streamed in."""

    deltas: tuple[str, ...]


@dataclass(frozen=True)
class Call:
    """One function call; all the calls of one turn are parallel."""

    name: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Echo:
    """Text that lists everything in the model's context."""


@dataclass(frozen=True)
class Image:
    """One small PNG."""


@dataclass(frozen=True)
class Hang:
    """Silence."""

    seconds: float


@dataclass(frozen=True)
class Hold:
    """Silence until its name is released."""

    name: str


@dataclass(frozen=True)
class Release:
    """The end of all silences of a name."""

    name: str


@dataclass(frozen=True)
class Fail:
    """The end of the turn by an HTTP status (a number) or by a finish reason (a word)."""

    code: str


@dataclass(frozen=True)
class Drop:
    """The link to the model breaks."""


@dataclass(frozen=True)
class GoAway:
    """Live only: the server announces that it will close the connection."""


@dataclass(frozen=True)
class Interrupt:
    """Live only: the model notices that the user speaks."""


@dataclass(frozen=True)
class Withdraw:
    """Live only: the model withdraws the calls it has open."""


Pause = Hang | Hold | Release
"""What takes time and says nothing."""
Action = Say | Think | Call | Echo | Image | Pause | Fail | Drop | GoAway | Interrupt | Withdraw
Turn = list[Action]


def deltas(text: str) -> tuple[str, ...]:
    """Cut the text into pieces about as long as a model's tokens; joined they are the text."""
    return tuple(re.findall(r"\s*\S{1,8}\s*", text))


def say(text: str) -> Say:
    """Say a sentence, streamed in several pieces."""
    return Say(deltas(text))
