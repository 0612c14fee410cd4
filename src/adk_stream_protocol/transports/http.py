"""The HTTP side: one POST in, one event stream out. Errors before the stream have a status."""

import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_hex
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chats.chats import Chat
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import chat_id_of, decode_turn
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import (
    BadRequest,
    ForbiddenOrigin,
    NotJson,
    StreamProtocolError,
    TooLarge,
    Unauthenticated,
)
from adk_stream_protocol.protocol.messages import parse_request
from adk_stream_protocol.protocol.sse import SSE_DONE, SSE_HEADERS, SSE_KEEP_ALIVE, encode_batch

logger = logging.getLogger(__name__)

Who = str | Principal | None
Identify = Callable[[HTTPConnection], Who | Awaitable[Who]]

KEEP_ALIVE_SECONDS = 15.0
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in SSE_HEADERS.items()]


@dataclass(frozen=True, slots=True)
class Door:
    """Who may come in, and with how much."""

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
        if urlsplit(origin).netloc != connection.headers.get("host"):
            raise ForbiddenOrigin("This page may not talk to this server.")

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


class EventStream(Response):
    """A turn as server-sent events; whatever is waiting goes out in one write."""

    def __init__(self, turn: Turn, *, whole: bool = False) -> None:
        # Not the base class's own: that counts a body that is not there yet.
        self.status_code = 200
        self.background = None
        self.raw_headers = list(_RAW_HEADERS)
        self._turn = turn
        self._whole = whole

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        reader = self._turn.reader(whole=self._whole)
        try:
            while (batch := await reader.next(KEEP_ALIVE_SECONDS)) is not None:
                body = encode_batch(batch) if batch else SSE_KEEP_ALIVE
                await send({"type": "http.response.body", "body": body, "more_body": True})
        finally:
            reader.close()
        if reader.is_done:  # else a piece is missing, and a stream that breaks off says so
            await send({"type": "http.response.body", "body": SSE_DONE})


Endpoint = Callable[[Request], Awaitable[Response]]


def chat_endpoint(chat: Chat, door: Door) -> Endpoint:
    """POST: one turn."""

    async def endpoint(request: Request) -> Response:
        who = await door.principal(request)
        body = parse_request(await door.body(request))
        chat_id = chat_id_of(body, request.query_params.get("chatId") or f"chat-{token_hex(12)}")
        style = approval_style(request, "native")
        turn = await chat.open_turn(who, chat_id, decode_turn(body), style or "native")
        return EventStream(turn)

    return answering_errors(endpoint)


def stop_endpoint(chat: Chat, door: Door) -> Endpoint:
    """POST: cancel the running turn of a chat."""

    async def endpoint(request: Request) -> Response:
        who = await door.principal(request)
        stopped = await chat.stop(who.id, request.path_params["chat_id"])
        return JSONResponse({"stopped": stopped})

    return answering_errors(endpoint)


def resume_endpoint(chat: Chat, door: Door) -> Endpoint:
    """GET: the running message of a chat from its first chunk, or 204 when none runs."""

    async def endpoint(request: Request) -> Response:
        who = await door.principal(request)
        turn = await chat.readable(who.id, request.path_params["chat_id"])
        return EventStream(turn, whole=True) if turn else Response(status_code=204)

    return answering_errors(endpoint)


def approval_style(
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
