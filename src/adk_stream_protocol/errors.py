"""Exceptions, each with the answer a client gets.

StreamProtocolError            status, code and a text made for users
├── BadRequest      422        malformed input; the text names the path
├── Unauthenticated 401
├── Forbidden       403        this person may not decide this
│   ├── ForbiddenOrigin 403
│   └── ForbiddenHost   403
├── UnknownId       404        unknown or foreign: the same answer
├── Conflict        409        the state does not allow it
│   └── Busy        409        a turn is already running in this chat
├── Expired         410
├── TooLarge        413
├── NotJson         415
├── TooMany         429
├── Unavailable     503        a store does not answer: nothing ran, nothing was acknowledged
├── LinkLost        502        the link to the live model broke
└── Relayed                    an error of another worker, as that worker raised it
"""


class StreamProtocolError(Exception):
    """An error with a stable code and a text that may be shown to a user."""

    status = 500
    code = "internal"
    retry_after: float | None = None
    """In how many seconds it may be worth another try."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class BadRequest(StreamProtocolError):
    """The input is malformed."""

    status, code = 422, "malformed"


class Unauthenticated(StreamProtocolError):
    """`identify` found no principal."""

    status, code = 401, "unauthenticated"


class Forbidden(StreamProtocolError):
    """The principal may not do this."""

    status, code = 403, "forbidden"


class ForbiddenOrigin(Forbidden):
    """A browser page of another origin sent this."""

    code = "origin"


class ForbiddenHost(Forbidden):
    """The request names a host that this server is not."""

    code = "host"


class UnknownId(StreamProtocolError):
    """The id is unknown here, or belongs to somebody else."""

    status, code = 404, "unknown"


class Conflict(StreamProtocolError):
    """The named request is no longer open, or was decided otherwise."""

    status, code = 409, "conflict"


class Busy(Conflict):
    """A turn is running in this chat."""

    code = "busy"


class Expired(StreamProtocolError):
    """The answer came after the deadline."""

    status, code = 410, "expired"


class TooLarge(StreamProtocolError):
    """The body is larger than the server takes."""

    status, code = 413, "too-large"


class NotJson(StreamProtocolError):
    """The content type is not JSON."""

    status, code = 415, "not-json"


class TooMany(StreamProtocolError):
    """The principal has too much going on, or sends too much at a time."""

    status, code = 429, "too-many"

    def __init__(self, text: str, retry_after: float = 1.0) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class Unavailable(StreamProtocolError):
    """A store does not answer."""

    status, code = 503, "unavailable"
    retry_after = 2.0


class LinkLost(StreamProtocolError):
    """A live run ended that should have gone on."""

    status, code = 502, "link-lost"

    def __init__(self, why: str) -> None:
        super().__init__("The connection to the model was lost. Please try again.")
        self.why = why


class Relayed(StreamProtocolError):
    """Another worker refused a request with this error."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code = status, code
