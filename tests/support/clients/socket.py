"""A raw client of the socket: the AI SDK's frames, sorted by request. It knows no SDK."""

import asyncio
import json
from base64 import b64encode
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.support.clients.http import Json, Reply, decision

SECONDS = 60.0
LAST = ("end", "error", "no-active")


class SocketChat:
    """One chat on one socket."""

    def __init__(self, connection: ClientConnection, chat: str) -> None:
        self.connection = connection
        self.id = chat
        self.notices: list[Json] = []
        """Frames of no request of ours: the server began a turn."""
        self._frames: defaultdict[str, asyncio.Queue[Json]] = defaultdict(asyncio.Queue)
        self._begun: set[str] = set()
        self._requests = 0
        self._closed = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, url: str, chat: str, headers: dict[str, str], **options: Any
    ) -> AsyncGenerator["SocketChat"]:
        async with connect(
            url, additional_headers=headers, compression=None, **options
        ) as connection:
            client = cls(connection, chat)
            reading = asyncio.create_task(client._read())
            try:
                yield client
            finally:
                await connection.close()
                await reading

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            async for text in self.connection:
                frame = json.loads(text)
                if frame["requestId"] == "server":
                    self.notices.append(frame)
                if frame["type"] == "chunk":
                    self._begun.add(frame["requestId"])
                self._frames[frame["requestId"]].put_nowait(frame)
        self._closed.set()

    async def start(self, body: Json, kind: str = "send") -> str:
        """Send a request and return its id; its frames are read when asked for."""
        self._requests += 1
        request_id = f"r{self._requests}"
        frame = {"type": kind, "requestId": request_id, "id": self.id, **body}
        await self.connection.send(json.dumps(frame))
        return request_id

    async def frame(self, request_id: str) -> Json:
        async with asyncio.timeout(SECONDS):
            return await self._frames[request_id].get()

    async def chunk(self, request_id: str, kind: str) -> Json:
        """The next chunk of a kind; the ones before it are skipped."""
        while True:
            frame = await self.frame(request_id)
            assert frame["type"] in ("chunk", "start"), frame
            if frame["type"] == "chunk" and frame["chunk"]["type"] == kind:
                return frame["chunk"]

    async def reply(self, request_id: str) -> Reply:
        """All that is left of a request's frames; status 0 for an error frame."""
        chunks: list[str] = []
        while (frame := await self.frame(request_id))["type"] not in LAST:
            if frame["type"] == "chunk":
                chunks.append(f"data: {json.dumps(frame['chunk'])}\n\n")
        if frame["type"] == "end":
            return Reply(200, "".join(chunks) + "data: [DONE]\n\n")
        return Reply(0 if frame["type"] == "error" else 204, frame.get("errorText", ""))

    async def post(self, body: Json) -> Reply:
        return await self.reply(await self.start(body))

    async def say(self, text: str) -> Reply:
        return await self.post(said(text))

    async def answer(self, *parts: Json) -> Reply:
        return await self.post(answered(*parts))

    async def approve(self, request: Json, approved: bool = True, name: str = "pay") -> Reply:
        return await self.answer(decision(request, approved, name))

    async def start_saying(self, text: str) -> str:
        return await self.start(said(text))

    async def start_approving(self, request: Json, name: str = "pay") -> str:
        return await self.start_answering(decision(request, True, name))

    async def start_answering(self, *parts: Json) -> str:
        return await self.start(answered(*parts))

    def has_begun(self, request_id: str) -> bool:
        """Whether a turn has begun for a request: then its answers are stored."""
        return request_id in self._begun

    async def resume(self) -> Reply:
        """Read the running turn from its first chunk; 204 if none runs."""
        return await self.reply(await self.start({}, "resume"))

    async def speak(self, text: str) -> None:
        """Say something aloud: the scripted model understands the bytes of a text."""
        audio = b64encode(text.encode()).decode()
        await self.start({"audio": audio}, "audio")
        await self.start({}, "audio-end")

    async def server_turn(self) -> Reply:
        """Wait until the server says that it began a turn, and read that turn."""
        await self.frame("server")
        return await self.resume()

    async def context(self) -> Json:
        """What the live model sees now."""
        return json.loads((await self.say("/echo")).said)

    async def vanish(self) -> None:
        """Be gone without a word, as a phone in a tunnel is."""
        self.connection.transport.abort()
        await self.closed()

    async def closed(self) -> int | None:
        """Wait until the socket is closed; the code it was closed with."""
        async with asyncio.timeout(SECONDS):
            await self._closed.wait()
        return self.connection.close_code


def said(text: str) -> Json:
    """A message of the user's."""
    return {"messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": text}]}]}


def answered(*parts: Json) -> Json:
    """Answers in the addressed assistant message, as the SDK sends them."""
    message = {"id": "m", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}
    return {"messages": [message], "messageId": "m"}
