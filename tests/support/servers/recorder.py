"""`adk-stream record` as users start it: a process of its own, with a service that is none."""

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from adk_stream_protocol.cli.main import main
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.servers.demo import COMMAND, DemoServer

MODELS = ["--model", "gemini-2.5-flash", "--live-model"]
LIVE_MODEL = "gemini-2.5-flash-native-audio-preview-12-2025"


def run_command(*arguments: object) -> object:
    """`adk-stream` in this process: its exit code."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["adk-stream", *map(str, arguments)])
        main()
    return ended.value.code


class RecordProcess(DemoServer):
    """Records into a file until it is stopped."""

    def __init__(
        self, file: Path, service: GeminiServer, *arguments: str, **environment: str
    ) -> None:
        found = {**service.environment, "NO_PROXY": "127.0.0.1"}
        super().__init__(file.parent, **found, **environment)
        self.file = file
        self._arguments = arguments

    def start(self) -> "RecordProcess":
        place = [str(self.file), "--port", str(self.port)]
        self._process = subprocess.Popen(
            [COMMAND, "record", *place, *MODELS, LIVE_MODEL, *self._arguments],
            env={**os.environ, **self._environment},
            stdout=subprocess.PIPE,
        )
        self._wait_until_ready()
        return self

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None and self._process.stdout is not None
        if self._process.poll() is None:
            self.kill()
        self._process.stdout.close()

    def wait(self) -> int:
        """The exit code of a process that ends by itself."""
        assert self._process is not None
        return self._process.wait(timeout=60)

    def said(self) -> list[str]:
        """What it printed; it has ended by then."""
        assert self._process is not None and self._process.stdout is not None
        return self._process.stdout.read().decode().splitlines()
