"""The client's side of a recorded chat on a socket, as turns."""

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import READING, SocketTurn
from adk_stream_protocol.recording.tapes.model_steps import ModelSteps
from adk_stream_protocol.recording.tapes.tape import CannotRecord


class ClientTurns:
    """One turn after another; what comes in between belongs to the next."""

    def __init__(self, steps: ModelSteps, naming: Naming) -> None:
        self.sound = False
        self._steps = steps
        self._naming = naming
        self._turns: list[SocketTurn] = []
        self._open: SocketTurn | None = None
        self._before: list[Json] = []
        self._own: set[str] = set()

    @property
    def is_open(self) -> bool:
        return self._open is not None

    @property
    def _next(self) -> int:
        return len(self._turns) + 1 + self.is_open

    def begin(self, client: Json | None) -> None:
        """Begin a turn that the client asks for, or that it reads and the server began."""
        if self._open:
            raise CannotRecord("a message was sent before the turn was over")
        if client is None:
            self._own.add(f"{READING}-{self._next}")
        self._naming.keep(client)
        self._steps.client_acts()
        self._open = SocketTurn(client, self._before)
        self._before = []

    def announce(self) -> None:
        """Note a turn that the server began; its end waits until it is read."""
        self._steps.hold(f"{READING}-{self._next}")

    def chunk(self, chunk: Json) -> None:
        if self._open:
            self._naming.learn(chunk)
            self._open.chunks.append(chunk)

    def refuse(self, text: str) -> None:
        """Note an error in the place of a turn."""
        if self._open:
            self._naming.learn(text)
            self._open.refusal = text
            self.end()

    def abort(self) -> None:
        """Note that the client stops the turn."""
        if self._open:
            self._open.abort_after = len(self._open.chunks)
            self._steps.hold(f"turn-{self._next}")

    def speak(self, frame: Json) -> None:
        """Note a piece of the user's voice."""
        self.sound = True
        (self._open.then if self._open else self._before).append(frame)

    def end(self) -> None:
        if self._open:
            self._turns.append(self._open)
            self._open = None
            self._steps.hold(f"turn-{self._next}")

    def named(self) -> tuple[list[SocketTurn], set[str]]:
        """Return the complete turns, and all that they signal to the model's side."""
        awaited = self._steps.waits()
        for number, turn in enumerate(self._turns, 1):
            turn.client = self._naming.apply(turn.client)
            turn.chunks = self._naming.apply(turn.chunks)
            turn.refusal = self._naming.apply(turn.refusal)
            turn.signals = [name for name in [f"turn-{number}"] if name in awaited]
        given = {name for turn in self._turns for name in turn.signals}
        return self._turns, given | self._own
