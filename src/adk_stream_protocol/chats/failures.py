"""Why a turn failed, when it is the bridge and not the model that knows."""

from google.adk.errors import StaleSessionError
from sqlalchemy.exc import SQLAlchemyError

from adk_stream_protocol.convert.encode.endings import Failure
from adk_stream_protocol.errors import Busy, StreamProtocolError, Unavailable


class LinkLost(StreamProtocolError):
    """A live run ended that should have gone on."""

    status, code = 502, "link-lost"

    def __init__(self, why: str) -> None:
        super().__init__("The connection to the model was lost. Please try again.")
        self.why = why


def failure_of(error: BaseException) -> Failure:
    """What a user may know. ADK wraps what a plugin raises, so the causes are looked at too."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, StreamProtocolError):
            return Failure(cause.code, cause.text)
        if isinstance(cause, StaleSessionError):
            return Failure(Busy.code, "Another turn of this chat was faster. Please try again.")
        if isinstance(cause, SQLAlchemyError):
            return Failure(Unavailable.code, "The store does not answer. Please try again.")
        cause = cause.__cause__
    return Failure.of_exception(error)
