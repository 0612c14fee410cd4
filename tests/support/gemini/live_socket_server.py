"""A live model on a socket of this machine: it says what it is given and notes what it is told."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_request import LlmRequest
from websockets.asyncio.server import ServerConnection, serve

from adk_stream_protocol.recording.stand_in.certificate import make_certificate


class GeminiServer:
    """What the other end of ADK's real connection says and hears."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._messages = messages

    async def talk(self, socket: ServerConnection) -> None:
        await socket.recv()
        for message in ({"setupComplete": {}}, *self._messages):
            await socket.send(json.dumps(message))
        async for message in socket:
            self._heard.put_nowait(json.loads(message))

    async def hear(self) -> dict[str, Any]:
        """Return the next thing it was told."""
        return await asyncio.wait_for(self._heard.get(), 10)

    @asynccontextmanager
    async def model(self, name: str) -> AsyncGenerator[Gemini]:
        """ADK's own model class, led here. google-genai speaks TLS to whatever address."""
        with TemporaryDirectory() as folder:
            public, private = make_certificate(Path(folder))
            ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            ours.load_cert_chain(public, private)
            theirs = ssl.create_default_context(cafile=public)
        async with serve(self.talk, "127.0.0.1", 0, ssl=ours) as server:
            (listening,) = server.sockets
            options = {
                "base_url": f"https://127.0.0.1:{listening.getsockname()[1]}",
                "async_client_args": {"ssl": theirs},
            }
            yield Gemini(model=name, client_kwargs={"api_key": "none", "http_options": options})


def request(model: BaseLlm) -> LlmRequest:
    return LlmRequest(model=model.model)
