"""The demo server as users start it, with its log."""

import json
import os
import subprocess

from tests.support.clients.http import Json
from tests.support.servers.demo import COMMAND, DemoServer


class LoggedDemo(DemoServer):
    """`adk-stream demo` with more arguments; what it logs is kept."""

    arguments: tuple[str, ...] = ()

    def start(self) -> "LoggedDemo":
        place = ["--port", str(self.port), "--state", str(self.state)]
        self.log_file = self.state / f"log-{self.port}"
        with self.log_file.open("wb") as log:
            self._process = subprocess.Popen(
                [COMMAND, "demo", *place, *self.arguments],
                env={**os.environ, "ADK_STREAM_LOG_LEVEL": "info", **self._environment},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self._wait_until_ready()
        return self


def lines_of(server: LoggedDemo) -> list[Json]:
    """What was logged as JSON."""
    return [json.loads(line) for line in server.log_file.read_text().splitlines()]
