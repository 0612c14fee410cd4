"""End to end over loopback: throughput, server CPU, time to the first chunk."""

from dataclasses import dataclass

from bench.fleet import Fleet, Request, Slice
from bench.report import Bars, heading, progress, row
from bench.slices import Spread, aba, ratio

OURS, ALONE, ADK_SERVER = "this project", "ADK alone", "ADK /run_sse"
SUBJECTS = (OURS, "floor", ADK_SERVER, "ag-ui-adk")
FIRST_CHUNK_ROUNDS = 12
# ADK alone never waits: with less of a core than this, something else had the machine.
QUIET = 0.9


@dataclass(frozen=True)
class Case:
    """Streams at once, turns each, and the model's chunks per turn however they are sent."""

    kind: str
    streams: int
    turns: int
    script: str
    chunks: int
    rounds: int

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return who is measured; the slowest is left out where a slice is long."""
        return SUBJECTS if self.streams < 100 else SUBJECTS[:-1]

    @property
    def load(self) -> list[list[Request]]:
        """Return each stream's requests; a stream is a user, each turn a chat of its own."""
        users = [f"user-{index}" for index in range(self.streams)]
        return [[Request(self.script, user=user)] * self.turns for user in users]

    @property
    def total(self) -> int:
        """Return the chunks of a whole slice."""
        return self.streams * self.turns * self.chunks


CASES = (
    Case("text", 1, 6, "text 200", 200, 7),
    Case("text", 10, 1, "text 200", 200, 7),
    Case("text", 100, 1, "text 60", 60, 7),
    Case("tools", 1, 15, "tools 6", 20, 7),
    Case("tools", 10, 3, "tools 6", 20, 7),
    Case("tools", 100, 1, "tools 2", 8, 7),
)


def run(bars: Bars, fleet: Fleet) -> None:
    """Print a table per case and set the bars."""
    for case in CASES:
        _table(bars, fleet, case)
    _first_chunk(bars, fleet)


def _table(bars: Bars, fleet: Fleet, case: Case) -> None:
    label = f"{case.kind}, {case.streams} stream{'s'[: case.streams > 1]}"
    progress(f"over HTTP: {label}")
    measured = aba(
        lambda: fleet.burst(ALONE, case.load),
        {name: (lambda name=name: fleet.burst(name, case.load)) for name in case.subjects},
        case.rounds,
    )
    heading(f"HTTP, {label}: against ADK alone (runs the same turn, sends nothing until its end)")
    row("", "chunks/s, ratio", "CPU, ratio", "chunks/s", "CPU ms/1,000", "first chunk ms")
    _print(ALONE, "", "", [before for before, _, _ in measured[OURS]], case.total)
    speeds, costs = {}, {}
    for name, slices in measured.items():
        _check_complete(name, slices, case.total)
        speeds[name] = ratio(_each(slices, "seconds")).inverse()
        costs[name] = ratio(_each(slices, "cpu"))
        _print(name, speeds[name], costs[name], [middle for _, middle, _ in slices], case.total)
    busy = _is_busy(measured[OURS])
    limit = 1.0 if case.kind == "text" else 0.95
    bars.at_least(f"{label}: speed against ADK alone", speeds[OURS], limit, busy=busy)
    if case.kind == "text":
        bars.at_most(f"{label}: CPU against ADK alone", costs[OURS], 1.0)
        bars.at_least(f"{label}: speed against ADK /run_sse", _faster(measured), 1.3, busy=busy)


def _check_complete(name: str, slices: list[tuple[Slice, Slice, Slice]], chunks: int) -> None:
    """A server that sends less than the model said is not fast."""
    if any(measured.chunks < chunks for _, measured, _ in slices):
        raise RuntimeError(f"{name} left out chunks")


def _is_busy(slices: list[tuple[Slice, Slice, Slice]]) -> bool:
    """Whether ADK alone, which never waits, got less than a core."""
    return Spread.of(before.cpu / before.seconds for before, _, _ in slices).middle < QUIET


def _faster(measured: dict[str, list[tuple[Slice, Slice, Slice]]]) -> Spread:
    """Return how many times faster than ADK's server, pairing the slices of each round."""
    ours, theirs = (_each(measured[name], "seconds") for name in (OURS, ADK_SERVER))
    return Spread.of(
        (their / (before + after)) / (our / (left + right))
        for (left, our, right), (before, their, after) in zip(ours, theirs, strict=True)
    )


def _first_chunk(bars: Bars, fleet: Fleet) -> None:
    progress("time to the first chunk")
    burst = [[Request("text 20")] * 20]
    measured = aba(
        lambda: fleet.burst("bare", burst),
        {name: (lambda name=name: fleet.burst(name, burst)) for name in SUBJECTS},
        FIRST_CHUNK_ROUNDS,
    )
    heading("First chunk, 1 stream: milliseconds after a bare streaming response's first chunk")
    added = {}
    for name, slices in measured.items():
        added[name] = Spread.of(
            1e3 * (first - (before + after) / 2) for before, first, after in _each(slices, "first")
        )
        row(name, added[name])
    bars.at_most("first chunk, beyond a bare streaming response", added[OURS], 1.0, unit="ms")


def _print(name: str, speed: object, cost: object, slices: list[Slice], chunks: int) -> None:
    rate = Spread.of(chunks / each.seconds for each in slices).middle
    cpu = Spread.of(each.cpu * 1e6 / chunks for each in slices).middle
    first = Spread.of(each.first * 1e3 for each in slices).middle
    row(name, speed, cost, f"{rate:.0f}", f"{cpu:.0f}", f"{first:.1f}")


def _each(slices: list[tuple[Slice, Slice, Slice]], field: str) -> list[tuple[float, float, float]]:
    return [tuple(getattr(each, field) for each in three) for three in slices]
