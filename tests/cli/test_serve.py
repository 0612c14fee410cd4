"""A parent and its workers: what dies is replaced, what cannot start is given up."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from adk_stream_protocol.cli import serve
from adk_stream_protocol.cli.listening import listen
from adk_stream_protocol.cli.serve import Supervisor
from tests.support.waiting import wait_until

pytestmark = pytest.mark.processes

WAIT = "import sys, time; print('x', file=open(sys.argv[1], 'a')); time.sleep(600)"


@pytest.fixture(autouse=True)
def signals() -> Generator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def supervisor(code: str, *arguments: object) -> Supervisor:
    return Supervisor([sys.executable, "-c", code, *map(str, arguments)], listen("127.0.0.1", 0))


def starts(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


def end_when(condition: Callable[[], bool]) -> threading.Thread:
    """Send this process SIGTERM, as an orchestrator would, once something has happened."""

    def watch() -> None:
        wait_until(condition)
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_a_signal_ends_all_workers(tmp_path: Path) -> None:
    file = tmp_path / "starts"
    thread = end_when(lambda: starts(file) == 2)
    assert supervisor(WAIT, file).run(2) == 0
    thread.join()
    assert starts(file) == 2


def test_a_worker_that_cannot_start_is_not_started_again_and_again() -> None:
    assert supervisor("import sys; sys.exit(3)").run(1) == 1


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "starts"
    killed = "import os, sys; print('x', file=open(sys.argv[1], 'a')); os.kill(os.getpid(), 9)"
    thread = end_when(lambda: starts(file) >= 3)
    assert supervisor(killed, file).run(1) == 0
    thread.join()


def test_a_worker_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "DRAIN_SECONDS", 0.1)
    file = tmp_path / "starts"
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + WAIT
    thread = end_when(lambda: starts(file) == 1)
    began = time.monotonic()
    assert supervisor(deaf, file).run(1) == 0
    thread.join()
    assert time.monotonic() - began < 600
