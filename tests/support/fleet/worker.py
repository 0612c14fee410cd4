"""One worker on a port of its own, forked from a process that has imported everything."""

import multiprocessing
import os
import signal
import sys
import time
import urllib.request
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from adk_stream_protocol.approvals import book as approvals
from adk_stream_protocol.cli import main as cli
from tests.support.servers.demo import free_port

SECONDS = 60
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(
    [
        __name__,
        "asyncpg",
        "adk_stream_protocol.workers.redis.relay",
        "google.adk.flows.llm_flows.auto_flow",
        "google.adk.workflow._llm_agent_wrapper",
        "google.adk.workflow._workflow",
        "google.adk.auth.auth_preprocessor",
    ]
)


def serve(state: Path, port: int, environment: dict[str, str], looks: bool) -> None:
    """Be `adk-stream demo`. Unless it `looks`, a live wait learns of answers only by being told."""
    os.environ.update(environment)
    if not looks:
        approvals.LOOK_SECONDS = 3600.0
    sys.argv = ["adk-stream", "demo", "--port", str(port), "--state", str(state)]
    cli.main()


class Worker:
    """A child process that keeps its port when it is started again."""

    def __init__(self, state: Path, environment: dict[str, str], *, looks: bool = False) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._arguments = (state, self.port, environment, looks)
        self._process: ForkServerProcess | None = None

    def start(self) -> None:
        """Begin; `wait` says when it serves."""
        self._process = _forks.Process(target=serve, args=self._arguments)
        self._process.start()

    def wait(self) -> None:
        deadline = time.monotonic() + SECONDS
        while not self.answers():
            assert self._process is not None and self._process.is_alive(), "it ended at once"
            assert time.monotonic() < deadline, "the worker did not become ready"
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                return True
        except OSError:
            return False

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop it as a stalled host does: it holds on to everything, and does nothing."""
        assert self._process is not None and self._process.pid is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None and self._process.pid is not None
        if self._process.exitcode is None:
            os.kill(self._process.pid, how)
        self._process.join(30)
        assert self._process.exitcode is not None
