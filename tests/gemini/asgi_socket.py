"""A WebSocket straight into an ASGI app: no port, no thread, nothing in between."""

import asyncio
import json
from types import TracebackType
from typing import Any, Self

from starlette.types import ASGIApp, Message

from tests.gemini.matching import Json
from tests.gemini.play import PATIENCE


class AsgiSocket:
    """The client's end of a socket."""

    def __init__(self, app: ASGIApp, path: str, query: str = "") -> None:
        self._app = app
        self._scope: Json = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "scheme": "ws",
            "path": path,
            "query_string": query.encode(),
            "headers": [(b"host", b"demo")],
            "subprotocols": [],
        }
        self._up: asyncio.Queue[Message] = asyncio.Queue()
        self._down: asyncio.Queue[Message] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        self._up.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(self._serve())
        accepted = await self._next()
        assert accepted["type"] == "websocket.accept", accepted
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._up.put_nowait({"type": "websocket.disconnect", "code": 1000})
        async with asyncio.timeout(PATIENCE):
            await self._task

    async def send(self, frame: Json) -> None:
        self._up.put_nowait({"type": "websocket.receive", "text": json.dumps(frame)})

    async def receive(self) -> Json:
        message = await self._next()
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    async def _next(self) -> Any:
        async with asyncio.timeout(PATIENCE):
            return await self._down.get()

    async def _serve(self) -> None:
        await self._app(self._scope, self._up.get, self._down.put)
