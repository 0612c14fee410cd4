"""Conversion alone: the same 1,000 ADK events to wire bytes, in one process."""

import gc
from collections.abc import Callable
from time import process_time

from adk_stream_protocol.convert.encode.live import LiveTurnEncoder
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.sse import encode_batch
from bench import peers
from bench.floor import Floor, LiveFloor
from bench.record import record_live_turn, record_turn
from bench.report import Bars, heading, progress, row
from bench.slices import Spread, aba, ratio

ROUNDS = 15
SLICE = 0.04
# `model_dump_json` alone is printed but is no peer: ADK's server does more, a front end needs more.
PEERS = {
    "pydantic-ai, Vercel adapter": peers.pydantic_ai,
    "ADK's api_server": peers.adk_server,
    "ag-ui-adk": peers.ag_ui_adk,
}


def run(bars: Bars) -> None:
    """Print both tables and set their bars."""
    text = _table("text deltas", [record_turn("text 199") for _ in range(5)])
    tools = _table("tool turns", [record_turn("tools 6") for _ in range(50)])
    bars.at_most("conversion of text, against the floor", text["this project"], 2.5)
    bars.at_most("conversion of tool turns, against the floor", tools["this project"], 4.0)
    _live_table([record_live_turn("text 199") for _ in range(5)])
    best = min((text[name] for name in PEERS), key=lambda spread: spread.middle)
    ours = text["this project"]
    faster = Spread(best.middle / ours.middle, best.low / ours.high, best.high / ours.low)
    bars.at_least("conversion of text, times faster than the best peer", faster, 4.0)


def project(turns: peers.Turns, encoder_of: type[TurnEncoder] = TurnEncoder) -> peers.Convert:
    """This project's encoder, one batch of bytes per event as its transport asks for."""

    def convert() -> int:
        size = 0
        for turn in turns:
            encoder = encoder_of(message_id="m1")
            size += len(encode_batch(encoder.start()))
            for event in turn:
                size += len(encode_batch(encoder.encode(event)))
            size += len(encode_batch(encoder.finish()))
        return size

    return convert


def floor(turns: peers.Turns, encoder_of: type[Floor] = Floor) -> peers.Convert:
    """The hand-written floor, called the same way."""

    def convert() -> int:
        size = 0
        for turn in turns:
            encoder = encoder_of()
            size += len(encoder.start())
            for event in turn:
                size += len(encoder.encode(event))
            size += len(encoder.finish())
        return size

    return convert


def sliced(convert: peers.Convert) -> Callable[[], float]:
    """Return a measurement of the CPU seconds of one pass, over as many passes as fill a slice."""
    convert()
    begun = process_time()
    convert()
    passes = max(1, round(SLICE / (process_time() - begun)))

    def measure() -> float:
        gc.collect()
        begun = process_time()
        for _ in range(passes):
            convert()
        return (process_time() - begun) / passes

    return measure


def _live_table(turns: peers.Turns) -> None:
    progress("conversion of live events")
    ours = {"this project": sliced(project(turns, LiveTurnEncoder))}
    gc.freeze()
    slices = aba(sliced(floor(turns, LiveFloor)), ours, ROUNDS)
    gc.unfreeze()
    heading("Conversion, live text: CPU per event over the floor's")
    row("this project", ratio(slices["this project"]))


def _table(kind: str, turns: peers.Turns) -> dict[str, Spread]:
    events = sum(map(len, turns))
    progress(f"conversion of {events} events: {kind}")
    makers = {"this project": project, **PEERS, "(one model_dump_json per event)": peers.adk_json}
    subjects = {name: sliced(make(turns)) for name, make in makers.items()}
    gc.freeze()
    slices = aba(sliced(floor(turns)), subjects, ROUNDS)
    gc.unfreeze()
    found = {name: ratio(measured) for name, measured in slices.items()}
    unit = Spread.of(before for before, _, _ in slices["this project"]).middle / events
    heading(f"Conversion, {kind}: CPU per event over the floor's ({unit * 1e6:.2f} us here)")
    for name, spread in found.items():
        row(name, spread)
    return found
