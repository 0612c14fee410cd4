"""The error of a server that cannot start, and how the reason of another error is put into it."""

import os


class CannotStart(Exception):
    """Says in one sentence what keeps the server from starting, and how to mend it."""


def reason_of(error: BaseException) -> str:
    """Return what the system says of an error, else the first line of its text, else its type."""
    number = _errno(error)
    if number is not None:
        return os.strerror(number).lower()
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def _errno(error: BaseException | None) -> int | None:
    """Return the number of the failed call that led to an error."""
    while error is not None:
        number = getattr(error, "errno", None)
        if isinstance(number, int) and number > 0:
            return number
        error = error.__cause__ or error.__context__
    return None
