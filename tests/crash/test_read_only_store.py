"""A store that can be read but not written: nothing runs, nothing is acknowledged."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from adk_stream_protocol.approvals.record import State
from tests.crash.conftest import NewServer, create_database
from tests.support.clients.attempts import Chat, outcome
from tests.support.clients.http import decision
from tests.support.databases.disk import small_disk
from tests.support.databases.postgres import PostgresServer
from tests.support.sink import Sink


def test_a_read_only_disk(new_server: NewServer, sink: Sink, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        server = new_server(disk.folder)
        chat = Chat(server.url, user="alice")
        request = chat.say("Send $5 to Bob").approvals[0]
        server.stop()
        disk.allow_writing(False)
        with pytest.raises(AssertionError, match="it ended at once"):
            server.start()
        disk.allow_writing(True)
        server.start()
        assert server.record(request["approvalId"]).state is State.PENDING
        assert (server.starts(), sink.received) == ([], [])
        assert outcome(chat.answer(decision(request, True)), request)["output"]["success"] is True
        assert len(sink.received) == 1
        server.kill()


def test_a_read_only_database(new_server: NewServer, sink: Sink, postgres: PostgresServer) -> None:
    url = asyncio.run(create_database(postgres))
    server = new_server(ADK_STREAM_DATABASE_URL=url)
    chat = Chat(server.url, user="alice")
    request = chat.say("Send $5 to Bob").approvals[0]
    asyncio.run(allow_writing(postgres, url, False))
    for approved in (True, False):
        assert chat.answer(decision(request, approved)).status == 503
    asyncio.run(allow_writing(postgres, url, True))
    assert server.record(request["approvalId"]).state is State.PENDING
    assert (server.starts(), sink.received) == ([], [])
    assert outcome(chat.answer(decision(request, True)), request)["output"]["success"] is True
    assert len(sink.received) == 1


async def allow_writing(postgres: PostgresServer, url: str, allowed: bool) -> None:
    """For connections from now on; those there are, are cut."""
    name = url.rpartition("/")[2]
    engine = create_async_engine(postgres.url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        only = "off" if allowed else "on"
        await connection.execute(
            text(f"ALTER DATABASE {name} SET default_transaction_read_only = {only}")
        )
        await connection.execute(
            text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        )
    await engine.dispose()
