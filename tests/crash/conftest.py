"""Servers to be killed, and the sink that tells what they did."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from tests.support.databases.postgres import PostgresServer
from tests.support.servers.mortal import CrashServer
from tests.support.sink import Sink

NewServer = Callable[..., CrashServer]


@pytest.fixture(scope="session")
def one_sink() -> Iterator[Sink]:
    sink = Sink()
    yield sink
    sink.stop()


@pytest.fixture
def sink(one_sink: Sink) -> Iterator[Sink]:
    """The sink, which has seen nothing yet."""
    one_sink.received.clear()
    yield one_sink
    one_sink.open.set()


@pytest.fixture
def new_server(tmp_path: Path, sink: Sink) -> Iterator[NewServer]:
    """Starts servers of this test alone."""
    servers: list[CrashServer] = []

    def start(state: Path = tmp_path, **environment: str) -> CrashServer:
        servers.append(CrashServer(state, sink.url, **environment))
        return servers[-1].start()

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def one_sqlite_server(
    tmp_path_factory: pytest.TempPathFactory, one_sink: Sink
) -> Iterator[CrashServer]:
    server = CrashServer(tmp_path_factory.mktemp("crash"), one_sink.url)
    yield server
    server.kill()


@pytest.fixture(scope="session")
def one_postgres_server(
    tmp_path_factory: pytest.TempPathFactory, one_sink: Sink, postgres: PostgresServer
) -> Iterator[CrashServer]:
    url = asyncio.run(create_database(postgres))
    state = tmp_path_factory.mktemp("crash")
    server = CrashServer(state, one_sink.url, ADK_STREAM_DATABASE_URL=url)
    yield server
    server.kill()


@pytest.fixture
def sqlite_server(one_sqlite_server: CrashServer, sink: Sink) -> CrashServer:
    """A running server that others have used and killed; tests use chats of their own."""
    return one_sqlite_server.ready()


@pytest.fixture(params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, sink: Sink) -> CrashServer:
    """The same on each kind of store."""
    found: CrashServer = request.getfixturevalue(f"one_{request.param}_server")
    return found.ready()


async def create_database(postgres: PostgresServer) -> str:
    """A database of its own; returns its URL."""
    name = f"crash_{uuid4().hex}"
    engine = create_async_engine(postgres.url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
    await engine.dispose()
    return postgres.url.removesuffix("postgres") + name
