"""Fleets of workers on real PostgreSQL and Redis, and clients that go from one to the next."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager
from itertools import count
from uuid import uuid4

import asyncpg
import httpx
import pytest

from tests.support.clients.roamer import Roamer
from tests.support.databases.postgres import PostgresServer
from tests.support.fleet.fleet import Fleet, running_fleet

OpenChat = Callable[..., Roamer]
NewFleet = Callable[..., AbstractContextManager[Fleet]]

_numbers = count()


@pytest.fixture(scope="session")
def new_fleet(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> NewFleet:
    """Makes fleets, each with a database and a Redis of its own."""

    def new_fleet(size: int, *, looks: bool = False) -> AbstractContextManager[Fleet]:
        name = f"workers_{uuid4().hex}"
        asyncio.run(_create(postgres, name))
        url = postgres.url.rpartition("/")[0] + f"/{name}"
        return running_fleet(size, tmp_path_factory.mktemp("fleet"), url, looks=looks)

    return new_fleet


async def _create(server: PostgresServer, name: str) -> None:
    address = f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
    connection = await asyncpg.connect(address)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()


@pytest.fixture(scope="session")
def whole_fleet(new_fleet: NewFleet) -> Generator[Fleet]:
    with new_fleet(4) as fleet:
        yield fleet


@pytest.fixture(params=[2, 4], ids=["2 workers", "4 workers"])
def fleet(request: pytest.FixtureRequest, whole_fleet: Fleet) -> Fleet:
    """Two workers, then four."""
    return whole_fleet.of(request.param)


@pytest.fixture(scope="module")
def small_fleet(new_fleet: NewFleet) -> Generator[Fleet]:
    """Three workers whose tests kill them, and start them again."""
    with new_fleet(3) as fleet:
        yield fleet


@pytest.fixture
async def http() -> AsyncGenerator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=64)
    async with httpx.AsyncClient(timeout=60, limits=limits, trust_env=False) as client:
        yield client


@pytest.fixture
def open_chat(fleet: Fleet, http: httpx.AsyncClient) -> OpenChat:
    """Opens chats of users that no other test has."""

    def open_chat(approvals: str = "native", of: Fleet = fleet) -> Roamer:
        number = next(_numbers)
        headers, chat = of.headers(f"user-{number}"), f"c{number}"
        return Roamer(http, of.urls, headers, chat, approvals, first=number)

    return open_chat
