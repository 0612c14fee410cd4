"""The SQL store: what of it only a database has, on SQLite."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.errors import Unavailable
from tests.support.records import entry, record


async def test_what_one_process_wrote_another_reads(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'a.db'}"
    one, stores = record(), [SqlApprovalStore(url) for _ in range(2)]
    await stores[0].create(one, entry(one))
    assert await stores[1].get(one.id) == one
    assert await stores[1].trail(one.id) == [entry(one)]
    for store in stores:
        await store.close()


async def test_stores_that_start_together_make_the_tables_once(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'a.db'}"
    stores = [SqlApprovalStore(url) for _ in range(4)]
    assert await asyncio.gather(*(store.get("x") for store in stores)) == [None] * 4
    for store in stores:
        await store.close()


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
