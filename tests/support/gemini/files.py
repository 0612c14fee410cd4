"""The scenarios of fixtures/wire; the README there says what each folder holds."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import (
    Scenario,
    SocketScenario,
    load,
    load_chats,
    read,
)

WIRE = Path(__file__).parents[3] / "fixtures" / "wire"
Kind = TypeVar("Kind", bound=msgspec.Struct)


@dataclass(frozen=True)
class WireFile:
    """One scenario: a file, or what it says of one family of models."""

    path: Path
    family: str

    @property
    def name(self) -> str:
        """Such as `weather`, or `weather-2.5` for one family."""
        return "-".join(filter(None, (self.path.stem, self.family)))

    def load(self, kind: type[Kind]) -> Kind:
        return load(self.path, kind, self.family)

    def load_chat(self) -> Scenario | SocketScenario:
        return load_chats(self.path)[self.family]

    def content(self) -> Json:
        return read(self.path)[self.family]


def files(folder: str) -> list[WireFile]:
    """All scenarios of a kind."""
    paths = sorted((WIRE / folder).glob("*.json"))
    return [WireFile(path, family) for path in paths for family in read(path)]


def wire_file(name: str) -> WireFile:
    """The scenario of a name such as `http/weather` or `socket/weather-2.5`."""
    folder, _, rest = name.partition("/")
    (found,) = (file for file in files(folder) if file.name == rest)
    return found
