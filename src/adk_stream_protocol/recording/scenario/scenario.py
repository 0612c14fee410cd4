"""The data files of chats: what the model's side says, what a client says and gets."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from adk_stream_protocol.recording.scenario.families import families_of, fold, unfold
from adk_stream_protocol.recording.scenario.matching import Json

READING = "reading"
"""Given when a turn of the server's is being read; before that it must not end."""
_SOUND = {"audio", "mediaChunks", "audioStreamEnd"}


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
    """A frame from the client. Of a `setup` only the named keys are compared."""
    expect_all: list[Json] | None = None
    """Frames from the client that may come in any order."""
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
    """One turn over HTTP: what the client posts, the model is asked and says, the client gets."""

    client: Json
    model: list[Exchange] = []
    chunks: list[Json] = []
    status: int = 200
    refusal: str | None = None
    """The text of an answer that is no stream."""


class Scenario(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A chat over HTTP."""

    about: str
    model: str
    turns: list[Turn]
    path: str = "/api/chat"
    approvals: str = "native"
    approval_ttl: float = 600
    streaming: bool = True
    varies: dict[str, str] = {}
    """Fields that two calls that run together race for, each with the name for its values."""


class SocketTurn(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One turn on a socket: what the client sends, and the chunks that follow."""

    client: Json | None = None
    """The body of a request, as over HTTP; without it the turn is one that the server begins."""
    frames: list[Json] = []
    """Other frames that go before it."""
    signals: list[str] = []
    """What lets the model's side go on first."""
    then: list[Json] = []
    """Frames that go right after it."""
    abort_after: int | None = None
    """The client stops the turn when it has this many chunks."""
    chunks: list[Json] = []
    refusal: str | None = None
    """The error that is the answer in the place of a turn."""


class SocketScenario(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A chat over the WebSocket: the model's connections and the client's turns."""

    about: str
    model: str
    connections: list[list[Step]]
    turns: list[SocketTurn]
    path: str = "/live"
    approvals: str = "native"
    modality: Literal["audio", "text"] = "audio"
    audio: bool = False
    """Whether the client gets the model's voice."""
    compare_sound: bool = True
    """Whether the pieces of the user's voice are among the frames that the model's side expects."""
    calls: Literal["sequential", "parallel"] = "sequential"
    approval_ttl: float = 600
    varies: dict[str, str] = {}


def speaks_envelopes(scenario: SocketScenario) -> bool:
    """Return whether the client's messages are envelopes, and not the bodies of requests."""
    envelopes = (turn.client for turn in scenario.turns if "type" in (turn.client or {}))
    frames = (frame for turn in scenario.turns for frame in (*turn.frames, *turn.then))
    return any(envelopes) or any("requestId" not in frame for frame in frames)


def is_sound(frame: Json) -> bool:
    """Return whether a frame to the model is a piece of the user's voice, or its end."""
    return not _SOUND.isdisjoint(frame.get("realtime_input", {}))


Kind = TypeVar("Kind", bound=msgspec.Struct)


def read(file: Path) -> dict[str, Json]:
    """Return the scenarios of a file by the family of their model; by "" if there is but one."""
    content = msgspec.json.decode(file.read_bytes(), type=Json)
    families = families_of(content)
    return {name: unfold(content, name) for name in families} if families else {"": content}


def write(file: Path, scenarios: Mapping[str, msgspec.Struct]) -> None:
    """Write scenarios by family, or one by the name ""; what they have in common, once."""
    contents = {family: _content(scenario) for family, scenario in scenarios.items()}
    content = contents[""] if "" in contents else fold(contents)
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(file: Path, kind: type[Kind], family: str = "") -> Kind:
    """Return one scenario of a file."""
    return msgspec.convert(read(file)[family], kind)


def save(file: Path, scenario: msgspec.Struct) -> None:
    """Write a scenario that has no families."""
    write(file, {"": scenario})


def load_chats(file: Path) -> dict[str, Scenario | SocketScenario]:
    """Return the chats of a file by family, over HTTP or over the socket, whichever it holds."""
    return {family: _chat(content) for family, content in read(file).items()}


def _chat(content: Json) -> Scenario | SocketScenario:
    if "user" in content:
        raise ValueError("it holds a run of ADK alone, not a chat")
    return msgspec.convert(content, SocketScenario if "connections" in content else Scenario)


def _content(scenario: msgspec.Struct) -> Json:
    content: Json = msgspec.to_builtins(scenario)
    for field in msgspec.structs.fields(scenario):
        if content.get(field.name) == field.default:  # omit_defaults knows only the same object
            del content[field.name]
    return content
