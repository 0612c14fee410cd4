"""The demo as a command, with one process or several: the ways an operator starts it."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.support.servers.demo import COMMAND, free_port

SECONDS = 90
EXIT_SECONDS = 10


class Served:
    """`how` is one, workers or uvicorn: the last knows nothing of this package but its app."""

    def __init__(self, how: str, state: Path, **environment: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.state = state
        self._command = _command(how, self.port)
        self._environment = {**os.environ, **environment, "ADK_STREAM_STATE": str(state)}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            self._command, env=self._environment, stdout=quiet, stderr=quiet
        )
        deadline = time.monotonic() + SECONDS
        while not self._answers():
            assert self._process.poll() is None, "it ended at once"
            assert time.monotonic() < deadline, "it did not become ready"
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                return True
        except OSError:
            return False

    def workers(self) -> set[int]:
        """The worker processes that live now."""
        assert self._process is not None
        pid = self._process.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return {int(one) for one in found if is_worker(int(one))}

    def terminate(self) -> None:
        """Ask it to end, as an orchestrator does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> None:
        """It must be gone within ten seconds."""
        assert self._process is not None
        self._process.wait(EXIT_SECONDS)

    def kill_parent(self) -> None:
        """SIGKILL to the process that was started, and to none of its workers."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(EXIT_SECONDS)

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            for worker in self.workers():
                os.kill(worker, signal.SIGKILL)
            self._process.kill()
            self._process.wait(EXIT_SECONDS)


def _command(how: str, port: int) -> list[str]:
    if how == "uvicorn":
        options = ["--ws", "websockets-sansio", "--timeout-graceful-shutdown", "2"]
        app = ["--factory", "adk_stream_protocol.cli.main:app", "--workers", "2"]
        return [sys.executable, "-m", "uvicorn", *app, *options, "--port", str(port)]
    workers = ["--workers", "2"] if how == "workers" else []
    return [str(COMMAND), "demo", "--port", str(port), *workers]


def is_worker(pid: int) -> bool:
    """Whether a worker process of this number lives."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False
    return "--fd" in line or "spawn_main" in line  # of this package, or of uvicorn
