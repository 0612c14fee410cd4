"""Admission: who may come in and with how much, and how a refusal is answered."""

import asyncio
import inspect
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TypeVar

from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import (
    BadRequest,
    NotJson,
    StreamProtocolError,
    TooLarge,
    TooMany,
    Unauthenticated,
)
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.limiter import Limiter
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.transports.origins import Origins
from adk_stream_protocol.transports.slots import OpenSockets, Slots

logger = logging.getLogger(__name__)

GUARDED = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer: no page of another origin embeds it, and nothing keeps it."""
T = TypeVar("T")
_LARGE = 65_536

Identity = str | Principal | None
Identify = Callable[[HTTPConnection], Identity | Awaitable[Identity]]
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(slots=True)
class Admission:
    """Checks what comes in, before anything is made of it."""

    identify: Identify
    limits: Limits = DEFAULT_LIMITS
    origins: Origins = Origins.of((), None)
    limiter: Limiter | None = None
    streams: Slots = field(init=False)
    """The event streams of each principal."""
    sockets: OpenSockets = field(init=False)

    def __post_init__(self) -> None:
        self.streams = Slots(self.limits.readers_per_user, "You have too many answers open.")
        self.sockets = OpenSockets(self.limits.sockets_per_user)

    async def principal(self, connection: HTTPConnection, route: str) -> Principal:
        """Return the user behind a request, or raise the error that turns it away."""
        self.origins.check(connection)
        who = await self.identified(connection)
        await self.count(who, route)
        return who

    async def count(self, who: Principal, route: str) -> None:
        """Raise TooMany if this principal does this more often than the application allows."""
        seconds = await self.limiter.wait_for(who.id, route) if self.limiter else 0
        if seconds > 0:
            raise TooMany("That was too much at a time. Please try again in a moment.", seconds)

    async def identified(self, connection: HTTPConnection) -> Principal:
        """Ask the application who this is, or raise Unauthenticated."""
        found = self.identify(connection)
        principal = await found if inspect.isawaitable(found) else found
        who = Principal(principal) if isinstance(principal, str) else principal
        if who is None or not who.id:
            raise Unauthenticated("Please sign in.")
        return who

    async def body(self, request: Request) -> bytes:
        """Return the JSON body, within the limit."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise NotJson("The body must be application/json.")
        raw = bytearray()
        async for piece in request.stream():
            raw += piece
            if len(raw) > self.limits.body:
                raise TooLarge(f"The body is larger than {self.limits.body} bytes.")
        return bytes(raw)


async def parsed(parse: Callable[[bytes, Limits], T], raw: bytes, limits: Limits) -> T:
    """Parse a body or a frame. A large one does not hold everybody else up."""
    if len(raw) <= _LARGE:
        return parse(raw, limits)
    return await asyncio.to_thread(parse, raw, limits)


def approval_style_of(
    connection: HTTPConnection, default: ApprovalStyleName | None
) -> ApprovalStyleName | None:
    """The approval style that a client asks for."""
    name = connection.query_params.get("approvals", default)
    if name is None or name == "native" or name == "adk-tool":
        return name
    raise BadRequest("?approvals: native or adk-tool is expected")


def answering_errors(endpoint: Endpoint) -> Endpoint:
    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except StreamProtocolError as error:
            return error_response(error)
        except ClientDisconnect:
            logger.debug("a client left before its request was whole")
            return Response(status_code=400)
        except Exception as error:
            reference = token_hex(4)
            log_failure(logger, error, "request failed, reference %s", reference)
            return error_response(StreamProtocolError("Something went wrong."), reference)

    return guarded


def error_response(error: StreamProtocolError, reference: str | None = None) -> Response:
    """The error as plain text: the AI SDK shows the body to the user as it is."""
    headers = {"x-error-code": error.code, **GUARDED}
    if error.retry_after is not None:
        headers["retry-after"] = str(math.ceil(error.retry_after))
    return PlainTextResponse(error_text(error, reference), error.status, headers=headers)


def error_text(error: StreamProtocolError, reference: str | None = None) -> str:
    """What a user is told, with the stable code and a reference for the log."""
    return f"{error.text} ({error.code}, reference {reference or token_hex(4)})"
