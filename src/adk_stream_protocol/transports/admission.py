"""Admission: who may come in and with how much, and how a refusal is answered."""

import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_hex
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import (
    BadRequest,
    ForbiddenOrigin,
    NotJson,
    StreamProtocolError,
    TooLarge,
    Unauthenticated,
)

logger = logging.getLogger(__name__)

Identity = str | Principal | None
Identify = Callable[[HTTPConnection], Identity | Awaitable[Identity]]
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Admission:
    """Checks what comes in, before anything is made of it."""

    identify: Identify
    allowed_origins: frozenset[str]
    max_body: int

    async def principal(self, connection: HTTPConnection) -> Principal:
        """The user behind a request, or the error that turns it away."""
        self._check_origin(connection)
        found = self.identify(connection)
        principal = await found if inspect.isawaitable(found) else found
        who = Principal(principal) if isinstance(principal, str) else principal
        if who is None or not who.id:
            raise Unauthenticated("Please sign in.")
        return who

    def _check_origin(self, connection: HTTPConnection) -> None:
        origin = connection.headers.get("origin")
        if origin is None or origin in self.allowed_origins:
            return
        if _host_of(origin) != connection.headers.get("host"):
            raise ForbiddenOrigin("This page is not allowed to use this server.")

    async def body(self, request: Request) -> bytes:
        """The JSON body, within the limit."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise NotJson("The body must be application/json.")
        raw = bytearray()
        async for piece in request.stream():
            raw += piece
            if len(raw) > self.max_body:
                raise TooLarge(f"The body is larger than {self.max_body} bytes.")
        return bytes(raw)


def _host_of(origin: str) -> str | None:
    """Return host and port of an origin; None if it cannot be one."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


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
        except Exception:
            reference = token_hex(4)
            logger.exception("request failed, reference %s", reference)
            return error_response(StreamProtocolError("Something went wrong."), reference)

    return guarded


def error_response(error: StreamProtocolError, reference: str | None = None) -> Response:
    """The error as plain text: the AI SDK shows the body to the user as it is."""
    text = error_text(error, reference)
    return PlainTextResponse(text, error.status, headers={"x-error-code": error.code})


def error_text(error: StreamProtocolError, reference: str | None = None) -> str:
    """What a user is told, with the stable code and a reference for the log."""
    return f"{error.text} ({error.code}, reference {reference or token_hex(4)})"
