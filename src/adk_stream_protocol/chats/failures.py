"""Failures of stores and of ADK as the errors that clients get."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

from google.adk.errors import StaleSessionError
from sqlalchemy.exc import SQLAlchemyError

from adk_stream_protocol.convert.encode.endings import Failure
from adk_stream_protocol.errors import Busy, StreamProtocolError, Unavailable

logger = logging.getLogger(__name__)


def failure_of(error: BaseException) -> Failure:
    """Say what a user may know. ADK wraps what a plugin raises, so the causes count too."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, StreamProtocolError):
            return Failure(cause.code, cause.text)
        if isinstance(cause, StaleSessionError):
            return Failure(Busy.code, "Another message in this chat came first. Please try again.")
        if isinstance(cause, SQLAlchemyError):
            return Failure(Unavailable.code, "The store is not responding. Please try again.")
        cause = cause.__cause__
    return Failure.of_exception(error)


@contextmanager
def needing_the_store() -> Generator[None]:
    """Turn a failure of the session store into Unavailable: the request fails as a whole."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        logger.exception("the session store does not answer")
        raise Unavailable("The store is not responding. Nothing was changed.") from error
