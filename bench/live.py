"""Live mode over real sockets: throughput, memory of idle sockets, order in a crowd."""

from dataclasses import dataclass

from bench.live_fleet import LiveFleet, Server, Slice
from bench.report import Bars, heading, progress, row
from bench.slices import Spread, aba, ratio

ALONE = Server("run_live alone", "plain")
SUBJECTS = {
    "this project, SDK frames": Server("this project", "frames"),
    "this project, envelopes": Server("this project", "envelopes"),
    "the same on uvicorn's own sockets": Server("this project on uvicorn's own sockets", "frames"),
    "one message per event": Server("one message per event", "plain"),
    "ADK /run_live": Server("ADK /run_live", "adk"),
}
OURS = list(SUBJECTS)[:2]
# `run_live` never waits here: with less of a core than this, something else had the machine.
QUIET = 0.9
IDLE = 1_000
CROWD, RUNNING, CROWD_SCRIPTS = 500, 20, ["count 300", "count 50"] * 2


@dataclass(frozen=True)
class Case:
    """Streams at once, turns each, deltas per turn."""

    kind: str
    streams: int
    turns: int
    deltas: int
    rounds: int

    @property
    def load(self) -> list[list[str]]:
        """Return each stream's turns."""
        return [[f"{self.kind} {self.deltas}"] * self.turns] * self.streams

    @property
    def total(self) -> int:
        """Return the deltas of a whole slice."""
        return self.streams * self.turns * self.deltas


CASES = (
    Case("text", 1, 10, 200, 7),
    Case("text", 10, 1, 200, 7),
    Case("text", 100, 1, 100, 9),
    Case("speech", 10, 1, 100, 9),
)


def run(bars: Bars) -> None:
    """Print the tables and set the bars."""
    with LiveFleet() as fleet:
        for case in CASES:
            _table(bars, fleet, case)
        _memory(bars, fleet)
        _crowd(bars, fleet)


def _table(bars: Bars, fleet: LiveFleet, case: Case) -> None:
    label = f"live {case.kind}, {case.streams} stream{'s'[: case.streams > 1]}"
    progress(label)
    measured = aba(
        lambda: fleet.burst(ALONE, case.load),
        {name: (lambda one=one: fleet.burst(one, case.load)) for name, one in SUBJECTS.items()},
        case.rounds,
    )
    heading(f"{label}: against run_live alone (the same turns, nothing sent until their end)")
    row("", "deltas/s, ratio", "CPU, ratio", "deltas/s", "CPU us/delta", "messages/delta")
    floors = [before for before, _, _ in measured[OURS[0]]]
    _print(ALONE.name, "", "", floors, case.total)
    busy = Spread.of(each.cpu / each.seconds for each in floors).middle < QUIET
    for name, slices in measured.items():
        if any(one.deltas < case.total for _, one, _ in slices):
            raise RuntimeError(f"{name} left out deltas")
        speed = ratio(_each(slices, "seconds")).inverse()
        _print(name, speed, ratio(_each(slices, "cpu")), [one for _, one, _ in slices], case.total)
        if name in OURS:
            bars.at_least(f"{label}, {name.partition(', ')[2]}: speed", speed, 0.75, busy=busy)


def _print(name: str, speed: object, cost: object, slices: list[Slice], deltas: int) -> None:
    rate = Spread.of(deltas / each.seconds for each in slices).middle
    cpu = Spread.of(each.cpu * 1e6 / deltas for each in slices).middle
    messages = Spread.of(each.messages / deltas for each in slices).middle
    row(name, speed, cost, f"{rate:.0f}", f"{cpu:.0f}", f"{messages:.2f}")


def _memory(bars: Bars, fleet: LiveFleet) -> None:
    progress(f"memory of {IDLE:,} idle sockets")
    ours = SUBJECTS[OURS[0]]
    subjects = {
        "this project, before its first turn": (ours, None),
        "this project, after a turn": (ours, "count 5"),
        "run_live alone, after a turn": (ALONE, "count 5"),
    }
    bare = Server("bare", "plain")
    measured = aba(
        lambda: fleet.idle(bare, IDLE, None),
        {
            name: (lambda one=one, script=script: fleet.idle(one, IDLE, script))
            for name, (one, script) in subjects.items()
        },
        rounds=1,  # memory is not noisy
    )
    heading(f"{IDLE:,} idle sockets: KB each, beyond a bare accepted socket")
    row("bare", Spread.of(one for each in measured.values() for one, _, _ in each))
    for name, slices in measured.items():
        spread = Spread.of(one - (before + after) / 2 for before, one, after in slices)
        row(name, spread)
        if name == "this project, after a turn":
            bars.at_most("idle live session, beyond the bare socket", spread, 80, unit="KB")


def _crowd(bars: Bars, fleet: LiveFleet) -> None:
    progress(f"{CROWD} open sockets beside {RUNNING} running streams")
    found = fleet.crowd(SUBJECTS[OURS[0]], CROWD, RUNNING, CROWD_SCRIPTS)
    heading(f"{CROWD} open sockets beside {RUNNING} running streams")
    row("deltas read", found["deltas"])
    row("lost, doubled or out of order", found["faults"])
    faults = Spread.of([found["faults"]])
    bars.at_most(f"{CROWD} sockets beside {RUNNING} streams, faults", faults, 0, unit="")


def _each(slices: list[tuple[Slice, Slice, Slice]], field: str) -> list[tuple[float, float, float]]:
    return [tuple(getattr(each, field) for each in three) for three in slices]
