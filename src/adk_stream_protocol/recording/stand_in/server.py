"""A stand-in for the Gemini service: the real client classes talk to it over TLS.

It speaks the paths of the Gemini API (not Vertex AI): `generateContent`, `streamGenerateContent`
and the Live socket. What it answers is in the script that is handed to `play`.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import msgspec
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import Exchange
from adk_stream_protocol.recording.stand_in.live_side import talk
from adk_stream_protocol.recording.stand_in.local_server import LocalServer, drop
from adk_stream_protocol.recording.stand_in.play import Play

API_KEY = "not-a-real-key"
_LAST = {"connection": "close"}  # ADK never closes its clients; so none of their sockets stays open
_SOCKET = "/ws/google.ai.generativelanguage.{version}.GenerativeService.BidiGenerateContent"


class GeminiServer:
    """One script at a time. Without an `api_key` it takes any."""

    def __init__(self, folder: Path, api_key: str | None = API_KEY) -> None:
        self._api_key = api_key
        routes = [
            Route("/{version}/models/{call}", self._generate, methods=["POST"]),
            WebSocketRoute(_SOCKET, self._live),
        ]
        self._server = LocalServer(Starlette(routes=routes), folder)
        self._play = Play(Names())
        self.certificate = self._server.certificate
        self.url = self._server.url

    @property
    def environment(self) -> dict[str, str]:
        """All that a process needs to find this server in the place of the real one."""
        return {
            "GOOGLE_API_KEY": self._api_key or API_KEY,
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "SSL_CERT_FILE": str(self.certificate),
        }

    def start(self) -> "GeminiServer":
        self._server.start()
        return self

    def stop(self) -> None:
        self._server.stop()

    def play(self, play: Play) -> Play:
        """Answer from this script from now on."""
        self._play = play
        return play

    async def _generate(self, request: Request) -> Response:
        play = self._play
        body: Json = msgspec.json.decode(await request.body())
        model, _, method = request.path_params["call"].rpartition(":")
        version = request.path_params["version"]
        called = {"version": version, "model": model, "method": method, **body}
        answer = play.answer(called) if self._admits(request) else "the API key is missing"
        if isinstance(answer, str):
            return _error(400, "INVALID_ARGUMENT", answer)
        if answer.frames is None:
            return JSONResponse(play.names.fill(answer.body), answer.status, _LAST)
        events = _stream(request, answer, play)
        return StreamingResponse(events, headers=_LAST, media_type="text/event-stream")

    async def _live(self, websocket: WebSocket) -> None:
        if not self._admits(websocket):
            await websocket.close()
            return
        await talk(websocket, self._play)

    def _admits(self, connection: HTTPConnection) -> bool:
        key = connection.headers.get("x-goog-api-key")
        return bool(key) if self._api_key is None else key == self._api_key


async def _stream(request: Request, answer: Exchange, play: Play) -> AsyncIterator[bytes]:
    for frame in cast(list[Any], play.names.fill(answer.frames)):
        yield b"data: " + msgspec.json.encode(frame) + b"\r\n\r\n"
    if answer.drop:
        drop(request)


def _error(status: int, name: str, message: str) -> Response:
    return JSONResponse({"error": {"code": status, "message": message, "status": name}}, status)
