"""The data files under fixtures/wire: what the model's side says, what a client says and gets.

`http` holds chats over HTTP, `socket` chats over the live socket, `live` runs of ADK alone, without
this package: what ADK does with a frame is recorded there. 2.5 and 3.1 are the two families of live
models, which ADK treats differently.
"""

import json
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from tests.gemini.matching import Json

WIRE = Path(__file__).parents[2] / "fixtures" / "wire"


class Exchange(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One POST to the model. Only the keys that `request` names are compared."""

    request: Json
    frames: list[Json] | None = None
    """The server-sent events of a streamed answer."""
    body: Json | None = None
    """The whole answer, where it is not streamed or is an error."""
    status: int = 200
    drop: bool = False
    """The connection breaks after the frames, before the answer is complete."""


class Step(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that happens on a Live connection, seen from the model's side."""

    expect: Json | None = None
    """A frame of the client's. Of a `setup` only the named keys are compared."""
    expect_all: list[Json] | None = None
    """Frames of the client's that may come in any order."""
    send: Json | None = None
    repeat: int = 1
    wait: str | None = None
    """Go on when the test gives this signal."""
    mark: str | None = None
    """Tell the test that all steps before this one are done."""
    close: int | None = None
    """Close with this code."""
    reason: str = ""
    drop: bool = False
    """Break the connection, without a closing handshake."""


class Turn(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a client posts, what the model is asked and says, what the client gets."""

    client: Json
    model: list[Exchange] = []
    chunks: list[Json] = []


class Scenario(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A chat over HTTP."""

    about: str
    model: str
    turns: list[Turn]
    approvals: str = "native"
    streaming: bool = True
    varies: dict[str, str] = {}
    """Fields that two calls at once race for, each with the name for its values."""


class Action(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that the user of a live run does or waits for."""

    say: str | None = None
    audio: str | None = None
    """A piece of sound, in base64."""
    audio_stream_end: bool = False
    image: str | None = None
    """A picture, in base64."""
    activity: str | None = None
    """`start` or `end` of speech, where the client detects it."""
    until: Json | None = None
    """Wait for an event that has these fields."""
    decide: dict[str, bool] | None = None
    """Answer the approval of the call with this id."""
    result: Json | None = None
    """The outcome of a browser tool: `id`, `name` and `response`."""
    signal: str | None = None
    """Let the model's side go on."""
    reach: str | None = None
    """Wait for this mark of the model's side."""
    close: bool = False


class LiveScenario(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A live run of ADK's own: the model's connections, the user's actions, ADK's events."""

    about: str
    model: str
    connections: list[list[Step]]
    user: list[Action]
    run_config: Json = {}
    non_blocking: bool = False
    """Server tools are dispatched without holding up the run."""
    history: list[Json] = []
    events: list[Json] = []
    failure: str | None = None
    """The exception with which the run ends."""


class SocketTurn(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a client sends on its socket, and the chunks of the turn that follows."""

    client: Json | None = None
    """The body of a request, as over HTTP; without it the turn is one that the server begins."""
    frames: list[Json] = []
    """Other frames that go before it."""
    signals: list[str] = []
    """What lets the model's side go on first."""
    chunks: list[Json] = []


class SocketScenario(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A chat over the WebSocket: the model's connections and the client's turns."""

    about: str
    model: str
    connections: list[list[Step]]
    turns: list[SocketTurn]
    approvals: str = "native"
    calls: Literal["sequential", "parallel"] = "sequential"
    approval_ttl: float = 600
    varies: dict[str, str] = {}


Kind = TypeVar("Kind", Scenario, LiveScenario, SocketScenario)


def load(file: Path, kind: type[Kind]) -> Kind:
    """The scenario of a file."""
    return msgspec.json.decode(file.read_bytes(), type=kind)


def save(file: Path, scenario: Scenario | LiveScenario | SocketScenario) -> None:
    """Write a scenario in the layout of the other fixtures."""
    content: Any = msgspec.to_builtins(scenario)
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def files(folder: str) -> list[Path]:
    """All scenarios of a kind."""
    return sorted((WIRE / folder).glob("*.json"))
