"""One scenario as the server plays it: what is still to come, what came, what was wrong."""

from collections.abc import Sequence
from threading import Condition, Event

from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import Exchange, Step, is_sound

PATIENCE = 30.0
_LEFT_OUT = ("systemInstruction", "tools")


class Play:
    """The script of a test. The server's thread reads it; the test reads what came of it."""

    def __init__(
        self,
        names: Names,
        *,
        exchanges: Sequence[Exchange] = (),
        connections: Sequence[Sequence[Step]] = (),
        compare_sound: bool = True,
    ) -> None:
        self.names = names
        self._compare_sound = compare_sound
        self.received: list[Json] = []
        self.faults: list[str] = []
        self._exchanges = list(exchanges)
        self._connections = [list(steps) for steps in connections]
        self._signals: dict[str, Event] = {}
        self._open = 0
        self._playing: list[list[Step]] = []
        self._changed = Condition()

    def answer(self, request: Json) -> Exchange | str:
        """Return the answer to a POST, or what is wrong with it."""
        self.received.append(request)
        if not self._exchanges:
            return self._fault("a request that the script does not have", [repr(request)])
        exchange = self._exchanges[0]
        named = {key: request[key] for key in exchange.request if key in request}
        if found := self.names.differences(exchange.request, named, "request"):
            return self._fault("the request is not what the script expects", found)
        return self._exchanges.pop(0)

    def connect(self, version: str) -> list[Step] | str:
        """Return the steps of a new Live connection, or why there should be none."""
        self.received.append({"version": version})
        with self._changed:
            self._open += 1
        if not self._connections:
            return self._fault("a connection that the script does not have", [])
        steps = self._connections.pop(0)
        self._playing.append(steps)
        return steps

    def played(self, left: list[Step]) -> None:
        """Cross off the first of the steps that are left on a connection."""
        with self._changed:
            del left[0]
            self._changed.notify_all()

    def disconnect(self, unplayed: Sequence[Step]) -> None:
        """End a Live connection."""
        if unplayed:
            self._fault("the connection ended before", [repr(step) for step in unplayed])
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def take(self, expected: Json, frame: Json) -> str | None:
        """Compare a frame from the client. Return what is wrong with it, or None."""
        self.received.append(frame)
        found = self.differences(expected, frame)
        return self._fault("the frame is not what the script expects", found) if found else None

    def take_any(self, expected: list[Json], frame: Json) -> str | None:
        """Compare with frames that come in any order, and cross off the one that fits."""
        for index, candidate in enumerate(expected):
            if not self.differences(candidate, frame):
                del expected[index]
                self.received.append(frame)
                return None
        return self.take(expected[0], frame)

    def passes_over(self, frame: Json) -> bool:
        """Return whether a frame is one that the script leaves out."""
        return not self._compare_sound and is_sound(frame)

    def unexpected(self, frame: Json) -> str:
        """Refuse a frame for which the script has no step."""
        self.received.append(frame)
        return self._fault("a frame that the script does not have", [repr(frame)])

    def differences(self, expected: Json, frame: Json) -> list[str]:
        if "setup" in expected and "setup" in frame:
            named = {key: frame["setup"][key] for key in expected["setup"] if key in frame["setup"]}
            frame = {"setup": named}
        return self.names.differences(expected, frame, "frame")

    def signal(self, name: str) -> None:
        """Let a connection that waits for this go on."""
        self._signal(name).set()

    def await_signal(self, name: str) -> str | None:
        """Block until the test gives the signal."""
        came = self._signal(name).wait(PATIENCE)
        return None if came else self._fault(f"the signal {name!r} never came", [])

    def await_closed(self) -> bool:
        """Block until no connection is open."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, PATIENCE)

    def finish(self) -> None:
        """Fail with all that was wrong and all that is left of the script."""
        closed = self.await_closed()
        assert not self.faults, "\n".join(self.faults)
        assert closed, f"{self._open} connections are still open"
        self._check_used_up()

    def finish_open(self) -> None:
        """Finish with connections that outlive the chat: they may stay open."""
        with self._changed:
            self._changed.wait_for(lambda: self.faults or not any(self._playing), PATIENCE)
        assert not self.faults, "\n".join(self.faults)
        assert not any(self._playing), f"the model's side still waits: {self._playing}"
        self._check_used_up()

    def _check_used_up(self) -> None:
        assert not self._exchanges, f"the model was not asked for {self._exchanges}"
        assert not self._connections, f"no connection was made for {self._connections}"

    def _signal(self, name: str) -> Event:
        return self._signals.setdefault(name, Event())

    def _fault(self, about: str, details: list[str]) -> str:
        fault = "\n  ".join([about, *details])
        self.faults.append(fault)
        return fault


class RecordingPlay(Play):
    """A play that takes what comes: frames of the expected kind become the expectation."""

    def differences(self, expected: Json, frame: Json) -> list[str]:
        if expected.keys() != frame.keys():
            return [f"expected {list(expected)}, got {frame}"]
        if "setup" in frame:
            named = expected["setup"] or {}
            setup = frame["setup"].items()
            frame = {"setup": {k: v for k, v in setup if k in named or k not in _LEFT_OUT}}
        expected.update(frame)
        return []
