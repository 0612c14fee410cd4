"""A recorded chat over HTTP as a scenario."""

from collections.abc import Iterable

from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import Exchange, Scenario, Turn
from adk_stream_protocol.recording.tapes.tape import (
    Asked,
    Body,
    Chunk,
    Dropped,
    Ended,
    Entry,
    Frame,
    Posted,
    RecordingOptions,
    Refused,
)

_COMPARED = ("method", "contents")
_OF_THE_CHAT = ("id", "chatId")


def http_scenario(tape: Iterable[Entry], options: RecordingOptions) -> Scenario:
    """Make a scenario of the turns that are complete."""
    reading = _Reading(Naming(options.varies))
    for entry in tape:
        reading.take(entry)
    scenario = Scenario(options.about, reading.model, reading.named_turns())
    scenario.path = reading.path
    scenario.approvals = reading.approvals
    scenario.approval_ttl = options.approval_ttl
    scenario.streaming = reading.streaming
    scenario.varies = options.varies
    return scenario


class _Reading:
    """A tape, as far as it has been read."""

    def __init__(self, naming: Naming) -> None:
        self.model = ""
        self.path = ""
        self.approvals = "native"
        self.streaming = True
        self._naming = naming
        self._turns: list[Turn] = []
        self._open: Turn | None = None
        self._exchanges: dict[int, Exchange] = {}

    def take(self, entry: Entry) -> None:
        match entry:
            case Posted():
                self._begin(entry)
            case Chunk(chunk=chunk) if self._open:
                self._naming.learn(chunk)
                self._open.chunks.append(chunk)
            case Ended() if self._open:
                self._end(self._open)
            case Refused(status=status, text=text) if self._open:
                self._naming.learn(text)
                self._open.status, self._open.refusal = status, text
                self._end(self._open)
            case Asked() if self._open:
                self._ask(entry, self._open)
            case Frame() | Body() | Dropped() if entry.id in self._exchanges:
                self._answer(entry, self._exchanges[entry.id])
            case _:
                pass

    def _begin(self, entry: Posted) -> None:
        self.path, self.approvals = entry.path, entry.approvals
        body = {key: value for key, value in entry.body.items() if key not in _OF_THE_CHAT}
        self._naming.keep(body)
        self._open = Turn(body)

    def _end(self, turn: Turn) -> None:
        self._turns.append(turn)
        self._open = None

    def _ask(self, entry: Asked, turn: Turn) -> None:
        self.model = self.model or entry.request["model"]
        self.streaming = self.streaming and entry.request["method"] == "streamGenerateContent"
        request = {key: entry.request[key] for key in _COMPARED if key in entry.request}
        self._naming.learn(request)
        exchange = Exchange(request)
        self._exchanges[entry.id] = exchange
        turn.model.append(exchange)

    def _answer(self, entry: Frame | Body | Dropped, exchange: Exchange) -> None:
        match entry:
            case Frame(frame=frame):
                self._naming.hear(frame)
                exchange.frames = [*(exchange.frames or []), frame]
            case Body(status=status, body=body):
                self._naming.hear(body)
                exchange.status, exchange.body = status, body
            case Dropped():
                exchange.frames = exchange.frames or []
                exchange.drop = True

    def named_turns(self) -> list[Turn]:
        """Return the complete turns, with names in the places of ids and times."""
        for turn in self._turns:
            turn.client = self._naming.apply(turn.client)
            turn.chunks = self._naming.apply(turn.chunks)
            turn.refusal = self._naming.apply(turn.refusal)
            for exchange in turn.model:
                exchange.request = self._naming.apply(exchange.request)
                exchange.frames = self._naming.apply(exchange.frames, said=True)
                exchange.body = self._naming.apply(exchange.body, said=True)
        return self._turns
