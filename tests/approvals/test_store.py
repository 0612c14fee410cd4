"""The stores keep one set of rules: SQLite, PostgreSQL and memory."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.approvals.store import ApprovalStore, AuditEntry
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Unavailable
from tests.support.databases.postgres import PostgresServer


def record(**fields: object) -> ApprovalRecord:
    base = ApprovalRecord(
        id=f"adk-{uuid4()}",
        app="shop",
        principal="alice",
        session="s",
        call_id=f"c-{uuid4()}",
        invocation_id="i",
        tool="pay",
        arguments='{"amount":5}',
        digest="d",
        created=1.0,
        expires=100.0,
        idempotency_key="k",
    )
    return replace(base, **fields)  # pyright: ignore[reportArgumentType]


def entry(one: ApprovalRecord, event: str = "request") -> AuditEntry:
    return AuditEntry(1.0, one.id, event, "alice", one.state.value, one.digest)


@pytest.fixture(params=["sqlite", "postgres", "memory"])
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


async def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'a.db'}"
    first = SqlApprovalStore(url)
    await first.get("x")
    await first.close()
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(text("update adk_stream_schema set version = 99"))
    await engine.dispose()
    second = SqlApprovalStore(url)
    with pytest.raises(Unavailable, match="schema 99"):
        await second.get("x")
    await second.close()


async def test_sqlite_is_durable(tmp_path: Path) -> None:
    store = SqlApprovalStore(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    run = store._run  # pyright: ignore[reportPrivateUsage]
    mode = await run(lambda connection: connection.scalar(text("PRAGMA journal_mode")))
    synchronous = await run(lambda connection: connection.scalar(text("PRAGMA synchronous")))
    assert (mode, synchronous) == ("wal", 2)
    await store.close()


async def test_a_store_that_does_not_work_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"this is no database" * 100)
    store = SqlApprovalStore(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    one = record()
    with pytest.raises(Unavailable):
        await store.get("x")
    with pytest.raises(Unavailable):
        await store.create(one, entry(one))
    await store.close()
