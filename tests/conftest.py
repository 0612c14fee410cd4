"""Fixtures that more than one kind of test needs."""

from collections.abc import Iterator

import pytest

from tests.support.postgres import PostgresServer
from tests.support.server import DemoServer


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoServer]:
    """One running demo server; tests use chat ids of their own."""
    server = DemoServer(tmp_path_factory.mktemp("demo")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """One real PostgreSQL server; tests make databases or tables of their own."""
    server = PostgresServer(tmp_path_factory.mktemp("postgres")).start()
    yield server
    server.stop()
