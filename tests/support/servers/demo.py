"""The demo server as users start it: a process of its own, with a port and a state folder."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

COMMAND = Path(sys.executable).with_name("adk-stream")


class DemoServer:
    """A child process; `stop` asks it to end, `kill` does not ask."""

    def __init__(self, state: Path, **environment: str) -> None:
        self.state = state
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> "DemoServer":
        self._process = subprocess.Popen(
            [COMMAND, "demo", "--port", str(self.port), "--state", str(self.state)],
            env={**os.environ, **self._environment},
            stdout=subprocess.DEVNULL,
        )
        self._wait_until_ready()
        return self

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def kill(self) -> int:
        return self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(how)
        return self._process.wait(timeout=60)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self._process is not None and self._process.poll() is None, "it ended at once"
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except (URLError, OSError):
                time.sleep(0.1)
        raise AssertionError("the server did not become ready")


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
