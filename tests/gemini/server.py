"""A Gemini server of the tests' own: the real client classes talk to it over TLS.

It speaks the paths of the Gemini API (not Vertex AI): `generateContent`, `streamGenerateContent`
and the Live socket. What it answers is in the script that a test hands to `play`.
"""

import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Thread
from typing import Any, cast

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from tests.gemini.certificate import make_certificate
from tests.gemini.drop import DroppableHttp, DroppableSocket, drop
from tests.gemini.live_side import talk
from tests.gemini.matching import Json, Names
from tests.gemini.play import Play
from tests.gemini.scenario import Exchange
from tests.support.server import free_port

API_KEY = "not-a-real-key"
_SOCKET = "/ws/google.ai.generativelanguage.{version}.GenerativeService.BidiGenerateContent"


class GeminiServer:
    """Runs in a thread; one script at a time."""

    def __init__(self, folder: Path) -> None:
        self.certificate, self._key = make_certificate(folder)
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self._play = Play(Names())
        self._server = uvicorn.Server(self._config())
        self._thread = Thread(target=self._server.run, daemon=True)

    @property
    def environment(self) -> dict[str, str]:
        """All that a process needs to find this server in the place of the real one."""
        return {
            "GOOGLE_API_KEY": API_KEY,
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "SSL_CERT_FILE": str(self.certificate),
        }

    def start(self) -> "GeminiServer":
        self._thread.start()
        deadline = time.monotonic() + 20
        while not self._server.started:
            assert self._thread.is_alive() and time.monotonic() < deadline, "it did not start"
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive(), "it did not stop"

    def play(self, play: Play) -> Play:
        """Answer from this script from now on."""
        self._play = play
        return play

    def _config(self) -> uvicorn.Config:
        routes = [
            Route("/{version}/models/{call}", self._generate, methods=["POST"]),
            WebSocketRoute(_SOCKET, self._live),
        ]
        return uvicorn.Config(
            Starlette(routes=routes),
            port=self.port,
            loop="asyncio",
            http=DroppableHttp,
            ws=DroppableSocket,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            ssl_version=ssl.PROTOCOL_TLS_SERVER,
            ssl_certfile=self.certificate,
            ssl_keyfile=self._key,
            timeout_graceful_shutdown=1,
        )

    async def _generate(self, request: Request) -> Response:
        play = self._play
        body: Json = msgspec.json.decode(await request.body())
        model, _, method = request.path_params["call"].rpartition(":")
        version = request.path_params["version"]
        called = {"version": version, "model": model, "method": method, **body}
        answer = play.answer(called) if _has_key(request) else "the API key is missing"
        if isinstance(answer, str):
            return _error(400, "INVALID_ARGUMENT", answer)
        if answer.frames is None:
            return JSONResponse(play.names.fill(answer.body), answer.status)
        return StreamingResponse(_stream(request, answer, play), media_type="text/event-stream")

    async def _live(self, websocket: WebSocket) -> None:
        if not _has_key(websocket):
            await websocket.close()
            return
        await talk(websocket, self._play)


def _has_key(connection: HTTPConnection) -> bool:
    return connection.headers.get("x-goog-api-key") == API_KEY


async def _stream(request: Request, answer: Exchange, play: Play) -> AsyncIterator[bytes]:
    for frame in cast(list[Any], play.names.fill(answer.frames)):
        yield b"data: " + msgspec.json.encode(frame) + b"\r\n\r\n"
    if answer.drop:
        drop(request)


def _error(status: int, name: str, message: str) -> Response:
    return JSONResponse({"error": {"code": status, "message": message, "status": name}}, status)
