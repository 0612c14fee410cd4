"""Failures of stores and of ADK as the errors that clients get."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

from google.adk.errors import StaleSessionError
from sqlalchemy.exc import SQLAlchemyError

from adk_stream_protocol.convert.encode.endings import Failure
from adk_stream_protocol.errors import Busy, StreamProtocolError, Unavailable
from adk_stream_protocol.failure_log import log_failure

logger = logging.getLogger(__name__)


def refusal_of(error: BaseException) -> StreamProtocolError | None:
    """Return the error that a client gets where nothing has been sent yet; None if it is ours.

    ADK wraps what a plugin raises, so the causes are looked at too.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, StreamProtocolError):
            return cause
        if isinstance(cause, StaleSessionError):
            return Busy("Another message in this chat came first. Please try again.")
        if isinstance(cause, SQLAlchemyError):
            return Unavailable("The store is not responding. Please try again.")
        cause = cause.__cause__
    return None


def failure_of(error: BaseException) -> Failure:
    """Return what a user may know of the failure of a turn."""
    refusal = refusal_of(error)
    return Failure(refusal.code, refusal.text) if refusal else Failure.of_exception(error)


@contextmanager
def needing_the_store() -> Generator[None]:
    """Turn a failure of the session store into Unavailable: the request fails as a whole."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        log_failure(logger, error, "the session store does not answer")
        raise Unavailable("The store is not responding. Nothing was changed.") from error
