"""A tape: what a recording hears, in the order of time, of the client's side and the model's."""

from dataclasses import dataclass, field
from typing import Any, Literal

from adk_stream_protocol.recording.scenario.matching import Json


@dataclass(frozen=True, slots=True)
class Posted:
    """A client asked for a turn over HTTP."""

    id: int
    path: str
    approvals: str
    body: Json


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the answer."""

    id: int
    chunk: Json


@dataclass(frozen=True, slots=True)
class Ended:
    """The answer is complete."""

    id: int


@dataclass(frozen=True, slots=True)
class Refused:
    """There was no stream: a status and a text."""

    id: int
    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A client opened a socket."""

    id: int
    path: str
    query: dict[str, str]


@dataclass(frozen=True, slots=True)
class Up:
    """A message on a client's socket, to the app."""

    id: int
    frame: Json


@dataclass(frozen=True, slots=True)
class Down:
    """A message on a client's socket, from the app."""

    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A POST to the model."""

    id: int
    request: Json


@dataclass(frozen=True, slots=True)
class Frame:
    """A server-sent event of the model's answer."""

    id: int
    frame: Json


@dataclass(frozen=True, slots=True)
class Body:
    """The model's answer in one piece."""

    id: int
    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Dropped:
    """The model's answer broke off."""

    id: int


@dataclass(frozen=True, slots=True)
class Connected:
    """A Live connection to the model."""

    id: int


@dataclass(frozen=True, slots=True)
class Sent:
    """A frame to the model."""

    id: int
    frame: Json


@dataclass(frozen=True, slots=True)
class Said:
    """A frame from the model."""

    id: int
    frame: Json


@dataclass(frozen=True, slots=True)
class Closed:
    """The model closed a connection."""

    id: int
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A connection to the model broke, without a word."""

    id: int


OfClient = Posted | Chunk | Ended | Refused | Opened | Up | Down
OfModel = Asked | Frame | Body | Dropped | Connected | Sent | Said | Closed | Lost
Entry = OfClient | OfModel


@dataclass(frozen=True)
class RecordingOptions:
    """The settings that a file holds beside what happened."""

    about: str = ""
    varies: dict[str, str] = field(default_factory=dict[str, str])
    approval_ttl: float = 600
    calls: Literal["sequential", "parallel"] = "sequential"


class CannotRecord(Exception):
    """Something happened that a file cannot say."""
