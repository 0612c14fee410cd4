"""Clients that come once and leave in the middle: by HTTP, and on a socket."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

SECONDS = 60.0
PAY = '/call pay {"amount": 5}'
LOCATE = "/call locate {}"
HANG = "/say 1\n/hang 60"


class Client:
    """One user with one chat."""

    def __init__(self, port: int, name: str) -> None:
        self._port = port
        self._name = name

    async def leave_a_turn(self) -> None:
        """Ask, and be gone while the answer comes."""
        async with self._post("/api/chat", _said(self._name, "/say 1")) as reader:
            await reader.readuntil(b"200 OK")

    async def leave_an_approval(self) -> None:
        await self._ask(PAY, b"tool-approval-request")

    async def leave_a_browser_call(self) -> None:
        await self._ask(LOCATE, b"tool-input-available")

    async def stop_and_leave(self) -> None:
        async with self._post("/api/chat", _said(self._name, HANG)) as reader:
            await reader.readuntil(b"text-delta")
            async with self._post(f"/api/chat/{self._name}/stop", {}) as stopping:
                assert b"true" in await stopping.readuntil(b"}")

    async def open_a_socket(self) -> None:
        """Say nothing on it."""
        async with self._socket() as socket:
            await socket.ping()

    async def vanish_from_a_socket(self) -> None:
        await self._live("/say 1", "text-delta")

    async def vanish_while_a_call_waits(self) -> None:
        await self._live(PAY, "tool-approval-request")

    async def vanish_while_the_model_works(self) -> None:
        await self._live(HANG, "text-delta")

    async def _ask(self, text: str, awaited: bytes) -> None:
        async with self._post("/api/chat", _said(self._name, text)) as reader:
            body = await reader.readuntil(b"[DONE]")
            assert awaited in body, body

    @asynccontextmanager
    async def _post(self, path: str, body: dict[str, Any]) -> AsyncGenerator[asyncio.StreamReader]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        raw = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nhost: a\r\nx-user: {self._name}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(raw)}\r\n\r\n"
        )
        try:
            writer.write(head.encode() + raw)
            yield reader
        finally:
            writer.transport.abort()

    @asynccontextmanager
    async def _socket(self) -> AsyncGenerator[ClientConnection]:
        url, headers = f"ws://127.0.0.1:{self._port}/live", {"x-user": self._name}
        async with connect(url, additional_headers=headers, compression=None) as socket:
            yield socket
            socket.transport.abort()

    async def _live(self, text: str, awaited: str) -> None:
        async with self._socket() as socket:
            frame = {"type": "send", "requestId": "r", **_said(self._name, text)}
            await socket.send(json.dumps(frame))
            async for received in socket:
                if awaited in str(received):
                    return


KINDS: list[Callable[[Client], Awaitable[None]]] = [
    Client.leave_a_turn,
    Client.open_a_socket,
    Client.leave_an_approval,
    Client.leave_a_browser_call,
    Client.stop_and_leave,
    Client.leave_a_turn,
    Client.open_a_socket,
    Client.vanish_from_a_socket,
    Client.vanish_while_a_call_waits,
    Client.vanish_while_the_model_works,
]


async def come_and_go(port: int, begin: int, count: int, at_once: int = 24) -> None:
    """Let so many clients, of all kinds in turn, come and leave."""
    names = iter(range(begin, begin + count))

    async def some() -> None:
        for number in names:
            async with asyncio.timeout(SECONDS):
                await KINDS[number % len(KINDS)](Client(port, f"user-{number}"))

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(some())


async def census(port: int) -> dict[str, Any]:
    """What the server holds now."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /census HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
    answer = await reader.read()
    with suppress(OSError):
        writer.close()
        await writer.wait_closed()
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def _said(chat: str, text: str) -> dict[str, Any]:
    message = {"id": "u", "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": chat, "messages": [message]}
