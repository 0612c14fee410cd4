"""A WebSocket straight into an ASGI app: no port, no thread, nothing in between."""

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from starlette.types import ASGIApp, Message

from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.stand_in.play import PATIENCE


class AsgiSocket:
    """The client's end of a socket."""

    def __init__(
        self,
        app: ASGIApp,
        path: str,
        query: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._app = app
        self._patience = patience
        sent = {"host": "demo"} | {name.lower(): value for name, value in (headers or {}).items()}
        self._scope: Json = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "scheme": "ws",
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
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
        async with asyncio.timeout(self._patience):
            await self._task

    async def send(self, frame: Json) -> None:
        self._up.put_nowait({"type": "websocket.receive", "text": json.dumps(frame)})

    async def receive(self) -> Json:
        return json.loads(await self.receive_text())

    async def receive_text(self) -> str:
        """Receive a message as it came."""
        message = await self._next()
        assert message["type"] == "websocket.send", message
        return message["text"]

    async def _next(self) -> Any:
        async with asyncio.timeout(self._patience):
            return await self._down.get()

    async def _serve(self) -> None:
        await self._app(self._scope, self._up.get, self._down.put)
