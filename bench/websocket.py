"""A WebSocket client of the smallest kind, far below the servers' own cost."""

import asyncio
import os
from collections.abc import Callable
from typing import Self

HEAD = (
    "GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nx-user: {user}\r\nupgrade: websocket\r\n"
    "connection: Upgrade\r\nsec-websocket-version: 13\r\n"
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Socket(asyncio.Protocol):
    """One socket, whose texts go to `on_text` in whatever part of the loop they arrive."""

    def __init__(self) -> None:
        self.on_text: Callable[[bytes], None] = lambda text: None
        self.closed = False
        self._buffer = bytearray()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._is_open = False

    @classmethod
    async def connect(cls, port: int, path: str, user: str) -> Self:
        """Open a socket, or raise what the server said instead."""
        loop = asyncio.get_running_loop()
        transport, socket = await loop.create_connection(cls, "127.0.0.1", port)
        transport.write(HEAD.format(path=path, port=port, user=user).encode())
        async with asyncio.timeout(60):
            await socket._opened
        return socket

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True
        if not self._opened.done():
            self._opened.set_exception(error or ConnectionError("closed before it was open"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._is_open or self._read_head():
            self._read_frames()

    def send(self, text: bytes) -> None:
        """Send a text message."""
        self._frame(TEXT, text)

    def close(self) -> None:
        """Leave without waiting for an answer."""
        self._frame(CLOSE, b"\x03\xe8")
        self._transport.close()

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        if not self._buffer.startswith(b"HTTP/1.1 101"):
            self._opened.set_exception(ConnectionError(bytes(self._buffer[:400])))
            return False
        del self._buffer[: end + 4]
        self._is_open = True
        self._opened.set_result(None)
        return True

    def _read_frames(self) -> None:
        buffer, position, size = self._buffer, 0, len(self._buffer)
        while size - position >= 2:
            length, start = buffer[position + 1], position + 2
            if length >= 126:
                wide = 2 if length == 126 else 8
                start += wide
                length = int.from_bytes(buffer[position + 2 : start])
            if start + length > size or start > size:
                break
            self._take(buffer[position] & 15, bytes(buffer[start : start + length]))
            position = start + length
        del buffer[:position]

    def _take(self, kind: int, payload: bytes) -> None:
        if kind == TEXT:
            self.on_text(payload)
        elif kind == PING:
            self._frame(PONG, payload)

    def _frame(self, kind: int, payload: bytes) -> None:
        size = len(payload)
        length = bytes([128 | size]) if size < 126 else b"\xfe" + size.to_bytes(2)
        mask = os.urandom(4)
        key = int.from_bytes(mask * (size // 4 + 1)) >> (8 * (4 - size % 4))
        masked = (int.from_bytes(payload) ^ key).to_bytes(size)
        self._transport.write(bytes([128 | kind]) + length + mask + masked)
