"""How failures are logged: what an exception says may hold arguments, texts or a password.

So a line names the types of an error and of what led to it, and where it came from, and no more.
With the level `debug` the traceback follows.
"""

import logging
import traceback
from types import TracebackType


def log_failure(
    logger: logging.Logger, error: BaseException, message: str, *arguments: object
) -> None:
    """Log an error without its words. The message must be about us, not about the data."""
    if logger.isEnabledFor(logging.DEBUG):
        logger.error(message, *arguments, exc_info=error)
        return
    fields = {"exception": " < ".join(types_of(error)), "at": place_of(error.__traceback__)}
    said = message + " (%s)"
    logger.error(said, *arguments, type(error).__name__, extra=fields)


def types_of(error: BaseException | None) -> list[str]:
    """Name the type of an error and of what led to it."""
    found: list[str] = []
    while error is not None and len(found) < 10:
        found.append(type(error).__name__)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def place_of(raised: TracebackType | None) -> str:
    """Say where an error came from, innermost first."""
    frames = traceback.extract_tb(raised)[-5:]
    named = [
        f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in frames
    ]
    return " < ".join(reversed(named))
