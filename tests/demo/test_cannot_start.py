"""How the reason of an error is said."""

import errno

import pytest

from adk_stream_protocol.demo.cannot_start import reason_of


def wrapped() -> Exception:
    error = RuntimeError("Error 111 connecting to 127.0.0.1:1. Connect call failed")
    error.__cause__ = ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127…")
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(errno.EACCES, "whatever"), "permission denied"),
        (wrapped(), "connection refused"),
        (ValueError("no such table.\n(Background on this: …)"), "no such table"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_the_reason_is_what_the_system_says_or_the_first_line(
    error: Exception, reason: str
) -> None:
    assert reason_of(error) == reason
