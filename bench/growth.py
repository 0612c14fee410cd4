"""No growth: a chunk's cost with the length of the turn, the bridge's share with the history."""

import uuid

from bench.convert import project, sliced
from bench.fleet import Fleet, Request
from bench.http import OURS
from bench.record import long_turn, record_turn
from bench.report import Bars, heading, progress, row
from bench.sessions import PREFIX
from bench.slices import Spread, aba

# What the bridge stands on: resumability makes ADK store one more event per turn, and its memory
# store looks through all events for each.
ALONE = "ADK alone, resumable"
SHORT = 1_000
LENGTHS = (10_000, 50_000)
LENGTH_ROUNDS = 9
HISTORIES = (10, 100, 1_000)
HISTORY_ROUNDS = 5
CHATS = 4


def run(bars: Bars, fleet: Fleet) -> None:
    """Print both tables and set their bars."""
    _lengths(bars)
    _histories(bars, fleet)


def _lengths(bars: Bars) -> None:
    progress("conversion of long turns")
    recorded = record_turn("text 199")
    subjects = {}
    for length in LENGTHS:
        subjects[f"{length:,} deltas"] = _per_event([long_turn(recorded, length)])
    short = _per_event([long_turn(recorded, SHORT)] * 10)
    heading(f"Length of the turn: conversion per delta, against a turn of {SHORT:,}")
    for name, slices in aba(short, subjects, LENGTH_ROUNDS).items():
        spread = Spread.of(2 * long / (before + after) for before, long, after in slices)
        row(name, spread)
        bars.at_most(f"conversion, a turn of {name} against {SHORT:,}", spread, 1.2)


def _per_event(turns):
    events, measure = sum(map(len, turns)), sliced(project(turns))
    return lambda: measure() / events


def _histories(bars: Bars, fleet: Fleet) -> None:
    heading("Length of the history: CPU ms per turn of the whole server, events stored before")
    row("", ALONE, OURS, "the bridge's share")
    shares: dict[int, list[float]] = {}
    for stored in HISTORIES:
        progress(f"turns after {stored:,} stored events")
        slices = aba(
            lambda stored=stored: _turn_cpu(fleet, ALONE, stored),
            {OURS: lambda stored=stored: _turn_cpu(fleet, OURS, stored)},
            HISTORY_ROUNDS,
        )[OURS]
        alone = [(before + after) / 2 for before, _, after in slices]
        shares[stored] = [ours - base for (_, ours, _), base in zip(slices, alone, strict=True)]
        ours = Spread.of(ours for _, ours, _ in slices)
        row(f"{stored:,} events", Spread.of(alone), ours, Spread.of(shares[stored]))
    few, many = shares[HISTORIES[0]], shares[HISTORIES[-1]]
    grown = Spread.of(
        (late - early) / base for late, early, base in zip(many, few, alone, strict=False)
    )
    bars.at_most("bridge's share, 1,000 events less 10, of ADK's turn", grown, 0.1)


def _turn_cpu(fleet: Fleet, server: str, stored: int) -> float:
    """Return the CPU milliseconds of the second turn of chats that began with that much history."""
    user = f"{PREFIX}{stored}"
    chats = [Request("text 5", uuid.uuid4().hex, user) for _ in range(CHATS)]
    fleet.burst(server, [chats])
    return fleet.burst(server, [chats], fresh=False).cpu * 1e3 / CHATS
