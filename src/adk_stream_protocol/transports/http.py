"""The HTTP side: one POST in, one event stream out. Errors before the stream have a status."""

import asyncio
import logging
from secrets import token_hex

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.turn import Reader, Turn
from adk_stream_protocol.convert.decode import chat_id_of, decode_turn
from adk_stream_protocol.protocol.messages import parse_request
from adk_stream_protocol.protocol.sse import SSE_DONE, SSE_HEADERS, SSE_KEEP_ALIVE, encode_batch
from adk_stream_protocol.transports.admission import (
    GUARDED,
    Admission,
    Endpoint,
    answering_errors,
    approval_style_of,
    parsed,
)
from adk_stream_protocol.transports.slots import Slot

logger = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS = 15.0
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in (GUARDED | SSE_HEADERS).items()]


class EventStream(Response):
    """A turn as server-sent events; whatever is waiting goes out in one write."""

    def __init__(
        self, turn: Turn, slot: Slot, stalled: float, *, from_message_start: bool = False
    ) -> None:
        # Not the base class's own: that counts a body that is not there yet.
        self.status_code = 200
        self.background = None
        self.raw_headers = list(_RAW_HEADERS)
        self._turn = turn
        self._slot = slot
        self._stalled = stalled
        self._from_message_start = from_message_start

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reader = self._turn.reader(from_message_start=self._from_message_start)
        try:
            await self._send_turn(reader, send)
        except TimeoutError:
            is_stalled = True
        else:
            is_stalled = False
        finally:
            reader.close()
            self._slot.give_back()
        while is_stalled and (await receive())["type"] != "http.disconnect":
            pass  # what holds nothing any more waits for the server to close the connection

    async def _send_turn(self, reader: Reader, send: Send) -> None:
        """Send a turn until it ends, or raise TimeoutError when the client takes nothing."""
        stalled, time = self._stalled, asyncio.get_running_loop().time
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with asyncio.timeout(None) as patience:
            while (batch := await reader.next(KEEP_ALIVE_SECONDS)) is not None:
                body = encode_batch(batch) if batch else SSE_KEEP_ALIVE
                patience.reschedule(time() + stalled)
                await send({"type": "http.response.body", "body": body, "more_body": True})
                patience.reschedule(None)
            if reader.is_done:  # else a piece is missing, and a stream that breaks off says so
                patience.reschedule(time() + stalled)
                await send({"type": "http.response.body", "body": SSE_DONE})


def chat_endpoint(chats: Chats, admission: Admission) -> Endpoint:
    """POST: one turn."""

    async def endpoint(request: Request) -> Response:
        who = await admission.principal(request, "chat")
        limits = admission.limits
        body = await parsed(parse_request, await admission.body(request), limits)
        chat_id = chat_id_of(body, request.query_params.get("chatId") or f"chat-{token_hex(12)}")
        style = approval_style_of(request, "native")
        turn_input = decode_turn(body, limits)
        with admission.streams.take(who.id) as slot:
            turn = await chats.open_turn(who, chat_id, turn_input, style or "native")
            return EventStream(turn, slot.keep(), limits.stalled)

    return answering_errors(endpoint)


def stop_endpoint(chats: Chats, admission: Admission) -> Endpoint:
    """POST: cancel the running turn of a chat."""

    async def endpoint(request: Request) -> Response:
        who = await admission.principal(request, "stop")
        stopped = await chats.stop(who.id, request.path_params["chat_id"])
        return JSONResponse({"stopped": stopped}, headers=GUARDED)

    return answering_errors(endpoint)


def resume_endpoint(chats: Chats, admission: Admission) -> Endpoint:
    """GET: the running message of a chat from its first chunk, or 204 when none runs."""

    async def endpoint(request: Request) -> Response:
        who = await admission.principal(request, "resume")
        stalled = admission.limits.stalled
        with admission.streams.take(who.id) as slot:
            turn = await chats.readable(who.id, request.path_params["chat_id"])
            if turn is None:
                return Response(status_code=204, headers=GUARDED)
            return EventStream(turn, slot.keep(), stalled, from_message_start=True)

    return answering_errors(endpoint)
