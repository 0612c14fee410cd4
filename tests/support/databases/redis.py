"""A Redis server of the tests' own, which can be killed and started again."""

import socket
import subprocess
import time
from pathlib import Path

from tests.support.servers.demo import free_port


class RedisServer:
    """A child process that keeps nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "RedisServer":
        arguments = ["--port", str(self._port), "--save", "", "--appendonly", "no"]
        command = ["/usr/bin/redis-server", *arguments, "--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self._answers():
            assert time.monotonic() < deadline, "Redis did not become ready"
            time.sleep(0.05)
        return self

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(timeout=60)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self._port), 1) as probe:
                probe.sendall(b"PING\r\n")
                return probe.recv(16).startswith(b"+PONG")
        except OSError:
            return False
