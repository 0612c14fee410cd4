"""A recorded chat over the socket as a scenario."""

from collections.abc import Iterable

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import SocketScenario
from adk_stream_protocol.recording.tapes.client_turns import ClientTurns
from adk_stream_protocol.recording.tapes.dialect_readers import (
    DialectReader,
    EnvelopeReader,
    SdkReader,
)
from adk_stream_protocol.recording.tapes.model_steps import ModelSteps
from adk_stream_protocol.recording.tapes.tape import (
    Closed,
    Connected,
    Down,
    Entry,
    Lost,
    Opened,
    RecordingOptions,
    Said,
    Sent,
    Up,
)


def socket_scenario(tape: Iterable[Entry], options: RecordingOptions) -> SocketScenario:
    """Make a scenario of the turns that are complete, with the model's side of them."""
    naming = Naming(options.varies)
    steps = ModelSteps(naming)
    client = ClientTurns(steps, naming)
    reader: DialectReader | None = None
    opened = Opened(0, "/live", {})
    for entry in tape:
        match entry:
            case Opened():
                opened = entry
            case Up(frame=frame):
                reader = reader or _reader(frame, client)
                reader.up(frame)
            case Down(text=text) if reader:
                reader.down(text)
            case Connected() | Sent() | Said() | Closed() | Lost():
                steps.take(entry)
            case _:
                pass
    turns, signals = client.named()
    scenario = SocketScenario(options.about, steps.model, steps.connections(signals), turns)
    _set_place(scenario, opened, envelopes=isinstance(reader, EnvelopeReader))
    scenario.modality = "audio" if steps.speaks else "text"
    scenario.compare_sound = not client.sound
    scenario.audio = any(chunk["type"] == "data-pcm" for turn in turns for chunk in turn.chunks)
    scenario.calls, scenario.approval_ttl = options.calls, options.approval_ttl
    scenario.varies = options.varies
    return scenario


def _reader(first: Json, client: ClientTurns) -> DialectReader:
    return SdkReader(client) if "requestId" in first else EnvelopeReader(client)


def _set_place(scenario: SocketScenario, opened: Opened, *, envelopes: bool) -> None:
    style = opened.query.get("approvals")
    scenario.path = opened.path
    if envelopes and style:
        scenario.path += f"?approvals={style}"
    elif style:
        scenario.approvals = style
