"""Fixtures that more than one kind of test needs."""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

from tests.support.databases.postgres import PostgresServer
from tests.support.servers.demo import DemoServer

pytest_plugins = ["tests.support.gemini.fixtures"]

# A machine that does other work is slow, which says nothing about the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

PROCESSES = "processes"
FIXTURES = {"demo", "postgres", "redis"}
"""What starts a process for whoever asks for it."""
EVENTS = {"subprocess.Popen", "os.fork", "os.posix_spawn"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that such a fixture gives away, and hold `make unit` to its word."""
    for item in items:
        if isinstance(item, pytest.Function) and FIXTURES & set(item.fixturenames):
            item.add_marker(PROCESSES)
    if config.option.markexpr == f"not {PROCESSES}":
        sys.addaudithook(_start_nothing)


def pytest_sessionfinish() -> None:
    """Keep what was measured before pytest-xdist loses patience with a worker that ends slowly."""
    if measuring := Coverage.current():
        measuring.save()


def _start_nothing(event: str, _: object) -> None:
    if event in EVENTS:
        raise AssertionError(f"a test without the mark {PROCESSES!r} starts a process")


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
