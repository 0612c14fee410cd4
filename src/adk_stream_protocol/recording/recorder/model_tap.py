"""Stands between google-genai and the Gemini service, passes everything on and writes it down.

Headers and queries go on to the service and into no file: the key is in them.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from typing import Any

import httpx
import msgspec
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.recorder.turn_tap import SseReader
from adk_stream_protocol.recording.stand_in.local_server import drop
from adk_stream_protocol.recording.tapes.tape import (
    Asked,
    Body,
    Closed,
    Connected,
    Dropped,
    Frame,
    Lost,
    Said,
    Sent,
)

_CALL = re.compile(r"models/(?P<model>[^/:]+):(?P<method>generateContent|streamGenerateContent)$")
_OWN = {"host", "connection", "content-length", "transfer-encoding", "upgrade"}
_PACKING = {"accept-encoding", "content-encoding"}  # what passes is read, so it is not packed
_SECRETS = ("x-goog-api-key", "authorization")


class ModelTap:
    """Passes requests and Live connections on to the service at `upstream`."""

    def __init__(self, recorder: Recorder, upstream: str, trusted: str) -> None:
        self._recorder = recorder
        self._upstream = upstream.rstrip("/")
        self._left: set[int] = set()
        self._ssl = ssl.create_default_context(cafile=trusted)
        methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]
        self.app = Starlette(
            routes=[
                Route("/{path:path}", self._forward, methods=methods),
                WebSocketRoute("/{path:path}", self._connect),
            ]
        )

    async def _forward(self, request: Request) -> Response:
        content = await request.body()
        asked = self._asked(request, content)
        stack = AsyncExitStack()
        client = await stack.enter_async_context(
            httpx.AsyncClient(verify=self._ssl, timeout=None)  # the caller has its own
        )
        sent = client.build_request(
            request.method, self._address(request), headers=self._headers(request), content=content
        )
        try:
            answer = await client.send(sent, stream=True)
        except httpx.HTTPError as error:
            await stack.aclose()
            return self._unreachable(asked, error)
        stack.push_async_callback(answer.aclose)
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            events = self._events(request, answer, asked, stack)
            return StreamingResponse(events, answer.status_code, _kept(answer.headers))
        async with stack:
            whole = await answer.aread()
        self._note_body(asked, answer.status_code, whole)
        return Response(whole, answer.status_code, _kept(answer.headers))

    async def _events(
        self, request: Request, answer: httpx.Response, asked: int | None, stack: AsyncExitStack
    ) -> AsyncIterator[bytes]:
        reader = SseReader()
        async with stack:
            try:
                async for piece in answer.aiter_bytes():
                    for event in reader.feed(piece):
                        self._note_frame(asked, event)
                    yield piece
            except httpx.HTTPError:
                if asked is not None:
                    self._recorder.add(Dropped(asked))
                drop(request)

    def _asked(self, request: Request, content: bytes) -> int | None:
        found = _CALL.search(request.path_params["path"])
        if found is None:
            self._recorder.warn(f"{request.method} {request.url.path} of the model is not recorded")
            return None
        number = self._recorder.number()
        body = msgspec.json.decode(content)
        self._recorder.add(Asked(number, {**found.groupdict(), **body}))
        return number

    def _note_frame(self, asked: int | None, event: bytes) -> None:
        if asked is not None:
            self._recorder.add(Frame(asked, msgspec.json.decode(event)))

    def _note_body(self, asked: int | None, status: int, content: bytes) -> None:
        if asked is None:
            return
        try:
            body: Any = msgspec.json.decode(content)
        except msgspec.DecodeError:
            body = content.decode(errors="replace")
        self._recorder.add(Body(asked, status, body))

    def _unreachable(self, asked: int | None, error: Exception) -> Response:
        self._recorder.warn(f"the model's service cannot be reached: {error}")
        body = {"error": {"code": 503, "message": "unreachable", "status": "UNAVAILABLE"}}
        if asked is not None:
            self._recorder.add(Body(asked, 503, body))
        return JSONResponse(body, 503)

    async def _connect(self, websocket: WebSocket) -> None:
        address = self._address(websocket).replace("http", "ws", 1)
        try:
            upstream = await connect(
                address,
                additional_headers=self._headers(websocket),
                ssl=self._ssl if address.startswith("wss") else None,
                max_size=None,
                compression=None,
                user_agent_header=None,
            )
        except (OSError, TimeoutError, WebSocketException) as error:
            self._recorder.warn(f"the model's service refused a connection: {error}")
            await websocket.close()
            return
        number = self._recorder.number()
        self._recorder.add(Connected(number))
        await websocket.accept()
        async with upstream:
            await self._pass_on(websocket, upstream, number)

    async def _pass_on(self, websocket: WebSocket, upstream: ClientConnection, number: int) -> None:
        up = asyncio.create_task(self._up(websocket, upstream, number))
        try:
            await self._down(websocket, upstream, number)
        finally:
            up.cancel()
            with suppress(asyncio.CancelledError):
                await up

    async def _up(self, websocket: WebSocket, upstream: ClientConnection, number: int) -> None:
        with suppress(ConnectionClosed):
            while True:
                message = await websocket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                content = message.get("text") or message.get("bytes") or b""
                self._recorder.add(Sent(number, msgspec.json.decode(content)))
                await upstream.send(content)
            self._left.add(number)
            await upstream.close()

    async def _down(self, websocket: WebSocket, upstream: ClientConnection, number: int) -> None:
        try:
            while True:
                content = await upstream.recv()
                self._recorder.add(Said(number, msgspec.json.decode(content)))
                await (
                    websocket.send_text(content)
                    if isinstance(content, str)
                    else websocket.send_bytes(content)
                )
        except WebSocketDisconnect:
            return
        except ConnectionClosed as error:
            await self._end(websocket, number, error)

    async def _end(self, websocket: WebSocket, number: int, error: ConnectionClosed) -> None:
        if number in self._left:
            return
        if error.rcvd is None:
            self._recorder.add(Lost(number))
            drop(websocket)
            return
        self._recorder.add(Closed(number, error.rcvd.code, error.rcvd.reason))
        with suppress(RuntimeError, WebSocketDisconnect):
            await websocket.close(error.rcvd.code, error.rcvd.reason)

    def _address(self, connection: HTTPConnection) -> str:
        query = connection.url.query
        path = f"{self._upstream}{connection.scope['path']}"
        return f"{path}?{query}" if query else path

    def _headers(self, connection: HTTPConnection) -> dict[str, str]:
        for name in _SECRETS:
            self._recorder.secret(connection.headers.get(name, ""))
        self._recorder.secret(connection.query_params.get("key", ""))
        headers = connection.headers.items()
        return {
            name: value
            for name, value in headers
            if name not in _OWN | _PACKING and not name.startswith("sec-websocket")
        }


def _kept(headers: httpx.Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _OWN | _PACKING}
