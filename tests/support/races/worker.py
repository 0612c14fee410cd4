"""One of the processes of a race: its senders start together with those of the others."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.clock import SteadyClock
from adk_stream_protocol.errors import Conflict, Expired, Forbidden
from tests.support.races.scenario import ARGUMENTS, PLACE, POLICIES, TTL, Race, Sender, races

BATCH = 10


class Barrier(Protocol):
    """As of multiprocessing."""

    def wait(self, timeout: float | None = None) -> int: ...


class Queue(Protocol):
    """As of multiprocessing."""

    def put(self, obj: Any) -> None: ...


@dataclass
class Told:
    """What the senders of one process were told, by record id."""

    decided: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """record, sender, approve or deny: answered as won."""
    started: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    refused: int = 0
    faults: list[str] = field(default_factory=list[str])


def run(url: str, seed: int, count: int, me: int, barrier: Barrier, answers: Queue) -> None:
    """The whole life of a process."""
    told = Told()
    try:
        asyncio.run(_play(url, races(seed, count), me, barrier, told))
    except Exception as error:
        told.faults.append(f"process {me}: {error!r}")
    answers.put(told)


async def _play(url: str, all_races: list[Race], me: int, barrier: Barrier, told: Told) -> None:
    store = SqlApprovalStore(url)
    now, late = (
        ApprovalBook(store, POLICIES, ttl=TTL),
        ApprovalBook(store, POLICIES, clock=SteadyClock(_after)),
    )
    try:
        for start in range(0, len(all_races), BATCH):
            work: list[Coroutine[Any, Any, None]] = []
            batch = all_races[start : start + BATCH]
            seen = await now.of_calls(PLACE, [race.id for race in batch])
            for race in batch:
                for one in race.of(me):
                    approvals = late if one.kind == "expire" else now
                    work.append(_guarded(approvals, seen[race.id], one, told))
            barrier.wait(60)
            await asyncio.gather(*work)
    finally:
        await store.close()


def _after() -> float:
    return time.time() + TTL + 1


async def _guarded(approvals: ApprovalBook, seen: ApprovalRecord, one: Sender, told: Told) -> None:
    try:
        await _act(approvals, seen, one, told)
    except (Conflict, Expired, Forbidden):
        told.refused += 1
    except Exception as error:
        told.faults.append(f"{one.name} {one.kind}: {error!r}")


async def _act(approvals: ApprovalBook, seen: ApprovalRecord, one: Sender, told: Told) -> None:
    record = seen if one.stale else await _read(approvals, seen.id)
    if one.kind == "cancel":
        await approvals.cancel(record, one.name)
    elif one.kind == "expire":
        await approvals.expire(record)
    else:
        try:
            await _decide(approvals, record, one, told)
        finally:
            if one.kind == "yes" or not one.stale:
                await _start(approvals, seen.id, one, told)


async def _decide(approvals: ApprovalBook, record: ApprovalRecord, one: Sender, told: Told) -> None:
    approved = one.kind == "yes"
    who = one.person(record.tool, record.step)
    await approvals.decide(record, who, approved, one.name)
    told.decided.append((record.id, one.name, "approve" if approved else "deny"))


async def _start(approvals: ApprovalBook, approval_id: str, one: Sender, told: Told) -> None:
    """Winners and losers alike try to run the call: at most one may."""
    record = await _read(approvals, approval_id)
    if record.state is State.PENDING and record.step and one.kind == "yes":
        await _decide(approvals, record, one, told)
        record = await _read(approvals, approval_id)
    if record.state is State.APPROVED and (
        started := await approvals.claim(record, dict(ARGUMENTS))
    ):
        told.started.append((approval_id, one.name))
        await approvals.finish(started, {"by": one.name}, failed=False)


async def _read(approvals: ApprovalBook, approval_id: str) -> ApprovalRecord:
    record = await approvals.store.get(approval_id)
    assert record is not None
    return record
