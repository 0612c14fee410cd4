"""A server in a process of its own."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.servers import counted


@pytest.fixture
def port() -> Iterator[int]:
    """Where the server listens. It can be connected to before it has started."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        command = [sys.executable, "-W", "ignore", "-m", counted.__name__]
        server = subprocess.Popen(
            [*command, str(listening.fileno())],
            pass_fds=[listening.fileno()],
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OTEL_SDK_DISABLED": "true"},
        )
        yield listening.getsockname()[1]
        server.terminate()
        assert server.wait(30) is not None
