"""Thousands of races between two real processes on one database: one winner, one start."""

import json
import multiprocessing
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest

from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import MOVES, ApprovalRecord, State
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.approvals.store import AuditEntry
from tests.support.databases.database import Database
from tests.support.races.scenario import ARGUMENTS, PLACE, POLICIES, PROCESSES, TTL, Race, races
from tests.support.races.worker import Told, run
from tests.support.times import TIMES

_Told = list[tuple[str, ...]]

RACES = 1000 * TIMES
SECONDS = 600
"""How long they may take: on a machine that does much else, many times as long as by themselves."""
SEEDS = {"sqlite": 31, "postgres": 32}


@pytest.mark.parametrize("kind", SEEDS)
async def test_one_winner_one_start_no_lost_yes(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    async with Database(kind, tmp_path, request) as url:
        all_races = races(SEEDS[kind], RACES)
        store = SqlApprovalStore(url)
        await _ask(store, all_races)
        told = _race(url, SEEDS[kind])
        records = {record.id: record for record in await store.listed(None, RACES + 1)}
        trails: dict[str, list[AuditEntry]] = defaultdict(list)
        for line in await store.trail(None):
            trails[line.approval_id].append(line)
        await store.close()
    assert not (faults := [fault for one in told for fault in one.faults]), faults[:5]
    assert len(records) == RACES
    decided = _by_record([one.decided for one in told])
    started = _by_record([one.started for one in told])
    for race in all_races:
        _judge(race, records[race.id], trails[race.id], decided[race.id], started[race.id])
    states = Counter(record.state for record in records.values())
    assert {State.DONE, State.DENIED, State.CANCELLED, State.EXPIRED} <= states.keys()


async def _ask(store: SqlApprovalStore, all_races: list[Race]) -> None:
    approvals = ApprovalBook(store, POLICIES, ttl=TTL)
    for race in all_races:
        await approvals.ask(
            PLACE,
            race.id,
            call_id=race.id,
            invocation_id="i",
            tool=race.tool,
            arguments=dict(ARGUMENTS),
        )


def _race(url: str, seed: int) -> list[Told]:
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(PROCESSES), context.Queue()
    children = [
        context.Process(target=run, args=(url, seed, RACES, me, barrier, answers), daemon=True)
        for me in range(PROCESSES)
    ]
    for child in children:
        child.start()
    try:
        return [answers.get(timeout=SECONDS) for _ in children]
    finally:
        for child in children:
            child.join(20)
            child.kill()
        answers.close()


def _by_record(told: Iterable[Iterable[tuple[str, ...]]]) -> dict[str, _Told]:
    found: dict[str, _Told] = defaultdict(list)
    for record_id, *rest in chain.from_iterable(told):
        found[record_id].append(tuple(rest))
    return found


def _judge(
    race: Race, record: ApprovalRecord, trail: list[AuditEntry], decided: _Told, started: _Told
) -> None:
    where = f"{race.id}: {record.state}, {[line.event for line in trail]}"
    lines = [line for line in trail if line.event in ("approve", "deny")]
    # Every acknowledged decision stands in the trail, and no other does.
    assert sorted(decided) == sorted((line.reason, line.event) for line in lines), where
    assert len(started) == [line.event for line in trail].count("claim") <= 1, where
    _check_winner(race, record, [line.event for line in lines], where)
    _check_start(race, record, started, where)
    _check_trail(record, trail, where)


def _check_winner(race: Race, record: ApprovalRecord, said: list[str], where: str) -> None:
    assert record.state is not State.PENDING or race.tool == "chain", where
    if race.tool == "pay":
        ended = record.state in (State.CANCELLED, State.EXPIRED)
        assert len(said) + ended == 1, where
    if "deny" in said:
        assert said[-1] == "deny" and record.state is State.DENIED, where
    elif len(said) == max(len(record.steps), 1):
        assert record.state in (State.DONE, State.LAPSED), where


def _check_start(race: Race, record: ApprovalRecord, started: _Told, where: str) -> None:
    assert (record.state is State.DONE) == bool(started), where
    if started:
        assert json.loads(record.result or "") == {"by": started[0][0]}, where
    if record.state is State.LAPSED:
        assert race.has("cancel"), where


def _check_trail(record: ApprovalRecord, trail: list[AuditEntry], where: str) -> None:
    states = [State(line.state) for line in trail]
    assert trail[0].event == "request" and states[-1] is record.state, where
    assert all(after in MOVES[before] for before, after in zip(states, states[1:], strict=False))
    assert {line.digest for line in trail} == {record.digest}, where
