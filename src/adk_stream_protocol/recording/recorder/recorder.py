"""Writes a chat down while it happens: one chat, on one transport, in one file.

The model's requests do not say which chat they belong to. So a second chat is not recorded, and a
recording ends where two of them run together. It also ends where something happens that a file
cannot say; what is complete by then stays.
"""

from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from threading import RLock

import msgspec

from adk_stream_protocol.recording.recorder.redaction import Redaction
from adk_stream_protocol.recording.scenario.scenario import Scenario, SocketScenario, save
from adk_stream_protocol.recording.tapes.http_tape import http_scenario
from adk_stream_protocol.recording.tapes.socket_tape import socket_scenario
from adk_stream_protocol.recording.tapes.tape import (
    Asked,
    CannotRecord,
    Connected,
    Entry,
    Opened,
    RecordingOptions,
)

Tell = Callable[[str], None]
_SHOWN = 60


class Recorder:
    """Both taps add to it; each turn that is complete goes into the file immediately."""

    def __init__(
        self,
        file: Path,
        tell: Tell,
        *,
        redact: Iterable[str] = (),
        options: RecordingOptions | None = None,
    ) -> None:
        self.turns = 0
        self.is_over = False
        self._file = file
        self._tell = tell
        self._options = options or RecordingOptions()
        self._redaction = Redaction(redact)
        self._numbers = count(1)
        self._lock = RLock()
        self._tape: list[Entry] = []
        self._chat: tuple[str, str] | None = None
        self._own: set[int] = set()
        self._others: set[int] = set()
        self._passed_over: set[int] = set()
        self._told: set[str] = set()

    def number(self) -> int:
        """Return a new number for a request, an exchange or a connection."""
        return next(self._numbers)

    def secret(self, value: str) -> None:
        """Note a value that must not be in the file."""
        self._redaction.secret(value)

    def warn(self, text: str) -> None:
        """Say something once."""
        with self._lock:
            if text not in self._told:
                self._told.add(text)
                self._tell(self._redaction.text(text))

    def is_recorded(self, transport: str, chat_id: str) -> bool:
        """Return whether a chat is the one in the file; the first one is."""
        with self._lock:
            self._chat = self._chat or (transport, chat_id)
            if self._chat == (transport, chat_id):
                return not self.is_over
            if self._chat[1] == chat_id:
                self.end(f"the chat goes on over {transport}")
            self.warn(f"not recorded: the chat {chat_id} over {transport}; a file holds one chat")
            return False

    def begins(self, number: int, *, recorded: bool) -> None:
        """Note the beginning of a turn over HTTP, or of a socket."""
        with self._lock:
            (self._own if recorded else self._others).add(number)

    def ends(self, number: int) -> None:
        with self._lock:
            self._own.discard(number)
            self._others.discard(number)

    def add(self, entry: Entry) -> None:
        """Write down what happened."""
        with self._lock:
            if isinstance(entry, Asked | Connected) and self._others:
                self._passed_over.add(entry.id)
                if self._own:
                    self.end("two chats asked the model at once")
            if not self.is_over and entry.id not in self._passed_over:
                self._tape.append(entry)

    def end(self, reason: str) -> None:
        """End the recording: nothing more goes into the file."""
        with self._lock:
            if not self.is_over:
                self.is_over = True
                self.warn(f"the recording ends here: {reason}")

    def keep(self) -> None:
        """Write a turn into the file if it is complete."""
        with self._lock:
            if self.is_over or not any(
                isinstance(entry, Asked | Connected) for entry in self._tape
            ):
                return
            try:
                scenario = self._scenario(self._tape)
            except CannotRecord as reason:
                self.end(str(reason))
                return
            if len(scenario.turns) > self.turns:
                self._save(scenario)

    def _save(self, scenario: Scenario | SocketScenario) -> None:
        try:
            _save_whole(self._file, scenario)
        except OSError as error:
            self.end(str(error))
            return
        self.turns = len(scenario.turns)
        self._tell(f"turn {self.turns}: {_summary(scenario)}")

    def _scenario(self, tape: list[Entry]) -> Scenario | SocketScenario:
        over_socket = any(isinstance(entry, Opened) for entry in tape)
        scenario = (socket_scenario if over_socket else http_scenario)(tape, self._options)
        content = self._redaction.apply(msgspec.to_builtins(scenario))
        return msgspec.convert(content, type(scenario))


def _save_whole(file: Path, scenario: Scenario | SocketScenario) -> None:
    """Save the file so that a reader finds the old one or the new one, never half of one."""
    new = file.with_name(f"{file.name}.new")
    save(new, scenario)
    new.replace(file)


def _summary(scenario: Scenario | SocketScenario) -> str:
    turn = scenario.turns[-1]
    if turn.refusal is not None:
        return f"refused: {turn.refusal}"
    said = "".join(chunk.get("delta", "") for chunk in turn.chunks)
    ending = turn.chunks[-1]["type"] if turn.chunks else "nothing"
    shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
    return f"{len(turn.chunks)} chunks, {ending}: {shown!r}"
