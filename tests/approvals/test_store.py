"""The stores keep one set of rules: SQLite, PostgreSQL and memory."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.record import Principal, State
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.approvals.store import ApprovalStore
from adk_stream_protocol.chat_id import ChatId
from tests.support.databases.postgres import PostgresServer
from tests.support.records import entry, record


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.processes), "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ApprovalStore]:
    if request.param == "memory":
        yield MemoryApprovalStore()
        return
    server: PostgresServer | None = None
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
    sql = SqlApprovalStore(server.url if server else f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    yield sql
    await sql.close()


async def test_a_record_comes_back_as_it_was(store: ApprovalStore) -> None:
    one = record(steps=("manager", "executive"), reason="日本語 ‮", session="x" * 128)
    assert await store.create(one, entry(one)) == one
    assert await store.get(one.id) == one
    assert await store.of_calls(ChatId("shop", "alice", "x" * 128), [one.call_id]) == [one]
    assert await store.of_invocation(ChatId("shop", "alice", "x" * 128), "i") == [one]


async def test_of_an_old_run_only_what_is_new_or_pending_is_read(store: ApprovalStore) -> None:
    done = [record(session="long", state=State.DENIED, created=float(at)) for at in range(3)]
    waiting = record(session="long", created=0.0)
    for one in (*done, waiting):
        await store.create(one, entry(one))
    found = await store.of_invocation(ChatId("shop", "alice", "long"), "i", 2.0)
    assert {one.id for one in found} == {done[2].id, waiting.id}


async def test_a_second_record_for_a_call_is_the_first(store: ApprovalStore) -> None:
    first = record(session="twice", call_id="c1")
    second = record(session="twice", call_id="c1")
    await store.create(first, entry(first))
    assert await store.create(second, entry(second)) == first
    assert await store.get(second.id) is None


async def test_a_foreign_principal_finds_nothing(store: ApprovalStore) -> None:
    one = record()
    await store.create(one, entry(one))
    assert await store.of_calls(ChatId("shop", "bob", "s"), [one.call_id]) == []
    assert await store.of_calls(ChatId("other", "alice", "s"), [one.call_id]) == []
    assert one not in await store.pending("shop", Principal("bob"))
    assert one in await store.pending("shop", Principal("alice"))


async def test_of_many_moves_from_one_state_one_wins(store: ApprovalStore) -> None:
    one = record()
    await store.create(one, entry(one))
    approved = one.decide(Principal("alice"), True, None, 2.0)
    denied = one.decide(Principal("alice"), False, "no", 2.0)
    moves = [approved, denied] * 10
    won = await asyncio.gather(*(store.move(one, after, entry(after, "x")) for after in moves))
    assert sum(won) == 1
    assert await store.get(one.id) == moves[won.index(True)]
    assert [line.event for line in await store.trail(one.id)] == ["request", "x"]


async def test_a_step_is_guarded_like_a_state(store: ApprovalStore) -> None:
    one = record(steps=("manager", "executive"))
    await store.create(one, entry(one))
    manager = Principal("m", frozenset({"manager"}))
    next_step = one.decide(manager, True, None, 2.0)
    assert next_step.state is State.PENDING and next_step.step == 1
    assert await store.move(one, next_step, entry(next_step))
    assert not await store.move(one, one.decide(manager, False, None, 2.0), entry(one))
    assert next_step in await store.pending("shop", Principal("e", frozenset({"executive"})))
    assert next_step not in await store.pending("shop", manager)


async def test_records_are_listed_by_state(store: ApprovalStore) -> None:
    old, new = record(created=1.0), record(created=2.0, state=State.DENIED)
    for one in (old, new):
        await store.create(one, entry(one))
    assert new in await store.listed("denied", 1000)
    assert old not in await store.listed("denied", 1000)
    assert {old, new} <= set(await store.listed(None, 1000))
