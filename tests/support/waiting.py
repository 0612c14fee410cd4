"""Waiting for what happens elsewhere, but not for ever."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what happens in another process, but not for ever."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
