"""Fixtures that more than one kind of test needs."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.databases.postgres import PostgresServer
from tests.support.servers.demo import DemoServer

pytest_plugins = ["tests.support.gemini.fixtures"]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoServer]:
    """One running demo server; tests use chat ids of their own."""
    server = DemoServer(tmp_path_factory.mktemp("demo")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One real PostgreSQL server; tests make databases or tables of their own."""
    # Not in pytest's folder: it is closed to other users, anew whenever another pytest begins.
    with TemporaryDirectory() as folder:
        server = PostgresServer(Path(folder)).start()
        yield server
        server.stop()
