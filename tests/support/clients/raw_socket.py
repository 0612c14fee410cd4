"""A socket client that can be as silent as it likes: it answers no ping and need not read."""

import asyncio
import json
import os
import socket
import struct
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from tests.support.clients.http import Json
from tests.support.clients.socket import said


async def stalled_connection(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection with small buffers: who does not read stops the sender soon."""
    own = socket.socket()
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    own.setblocking(False)
    await asyncio.get_running_loop().sock_connect(own, ("127.0.0.1", port))
    return await asyncio.open_connection(sock=own, limit=1024)


class RawSocket:
    """One connection, without a library that would answer for us."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    @asynccontextmanager
    async def connect(cls, port: int) -> AsyncGenerator["RawSocket"]:
        reader, writer = await stalled_connection(port)
        key = b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        assert head.startswith(b"HTTP/1.1 101"), head
        try:
            yield cls(reader, writer)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def say(self, text: str, chat: str = "c") -> None:
        self._send({"type": "send", "requestId": "r1", "id": chat, **said(text)})
        await self._writer.drain()

    async def read_to(self, end: bytes) -> None:
        """Read until these bytes are the last ones for now."""
        data = b""
        async with asyncio.timeout(60):
            while not data.endswith(end):
                piece = await self._reader.read(65536)
                assert piece, f"it ended with {data[-200:]!r}"
                data = data[-len(end) :] + piece

    def _send(self, frame: Json) -> None:
        payload = json.dumps(frame).encode()
        head = bytes([0x81, 0xFE]) + struct.pack("!H", len(payload))
        self._writer.write(head + b"\0\0\0\0" + payload)
