"""Writes a chat down while it happens: one chat, on one transport, in one file.

The model's requests do not say which chat they belong to. So a second chat is not recorded, and a
recording ends where two of them run at once. It also ends where something happens that a file
cannot say; what is complete by then stays.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec

from adk_stream_protocol.testing.wire.http_tape import http_scenario
from adk_stream_protocol.testing.wire.redaction import Redaction
from adk_stream_protocol.testing.wire.scenario import Scenario, SocketScenario, save
from adk_stream_protocol.testing.wire.socket_tape import socket_scenario
from adk_stream_protocol.testing.wire.tape import Asked, Connected, Entry, OfClient, Opened, Posted


@dataclass(frozen=True)
class RecordingOptions:
    """What a file says beside what happened."""

    about: str = ""
    varies: dict[str, str] = field(default_factory=dict[str, str])
    approval_ttl: float = 600
    calls: str = "sequential"


class Recorder:
    """Both taps add to it; each turn that is complete goes into the file at once."""

    def __init__(
        self,
        file: Path,
        redact: Iterable[str] = (),
        options: RecordingOptions | None = None,
        *,
        warned: Callable[[str], None],
        turned: Callable[[int, str], None],
    ) -> None:
        self._file = file
        self._options = options or RecordingOptions()
        self._redaction = Redaction(redact)
        self._warned = warned
        self._turned = turned
        self._numbers = count(1)
        self._lock = threading.RLock()
        self._tape: list[Entry] = []
        self._left: set[int] = set()
        self._saved = 0
        self._over = False
