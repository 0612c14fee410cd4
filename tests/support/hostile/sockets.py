"""An attacker on sockets: hostile frames in both dialects, split, binary, or no frames at all."""

import asyncio
import json
import os
from base64 import b64encode
from contextlib import suppress

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.hostile.bodies import Bender
from tests.support.hostile.http import SECONDS, Seen

TYPES = ["send", "resume", "abort", "audio", "audio-end", "message", "ping", "interrupt", "x", ""]
FRAMES = 20
"""At most so many on one socket."""
BROKEN = [
    b"\x83\x80\0\0\0\0",  # a reserved opcode
    b"\xf1\x80\0\0\0\0",  # reserved bits
    b"\x81\x00",  # not masked
    b"\x80\x80\0\0\0\0",  # a continuation of nothing
    b"\x89\xfe\x01\x00\0\0\0\0",  # a control frame that is too long
    b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",  # eight exbibytes
    b"\x81\x82\0\0\0\0\xc3\x28",  # not UTF-8
    b"\x88\x81\0\0\0\0\x03",  # half of a close code
    b"\x88\x82\0\0\0\0\x03\xed",  # a close code that nobody may send
    b"\x81",  # half of a head
]


class SocketAttacker:
    """Opens sockets, sends what no client sends, and expects each to end in good order."""

    def __init__(self, port: int, bender: Bender, seen: Seen) -> None:
        self._port = port
        self._bender = bender
        self._random = bender.random
        self._seen = seen

    async def attack(self) -> int:
        """Use one socket, and return how many frames were sent."""
        if self._random.random() < 0.2:
            await self._break()
            return 1
        count = self._random.randrange(1, FRAMES + 1)
        query = self._random.choice(["", "?approvals=adk-tool", "?chatId=mine", "?chatId=%ff"])
        url = f"ws://127.0.0.1:{self._port}/live{query}"
        headers = {"authorization": "Bearer bob"}
        try:
            async with asyncio.timeout(SECONDS):
                async with connect(
                    url, additional_headers=headers, compression=None, max_size=None
                ) as socket:
                    reading = asyncio.create_task(self._read(socket))
                    with suppress(ConnectionClosed):
                        for _ in range(count):
                            await socket.send(self._frame())
                    await socket.close()
                    await reading
                if socket.close_code in (None, 1006):
                    self._seen.faults.append("a socket ended without a close frame")
        except InvalidStatus as refused:
            self._seen.note(refused.response.status_code, b"", url.encode())
        return count

    async def _read(self, socket: object) -> None:
        with suppress(ConnectionClosed):
            async for message in socket:  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]
                answer = message if isinstance(message, bytes) else str(message).encode()
                self._seen.note(200, answer, b"")
                if b"(internal, reference" in answer:
                    self._seen.faults.append(f"an internal error: {answer[:300]!r}")

    def _frame(self) -> str | bytes | list[str]:
        raw = self._bender.raw()
        if self._random.random() < 0.7:
            body = self._bender.body()
            kind = self._random.choice(TYPES)
            extra = {"type": kind, "requestId": self._random.choice(["r", "", "r" * 500, 5])}
            raw = json.dumps(body | extra if self._random.random() < 0.8 else extra).encode()
        if self._random.random() < 0.1:
            return raw  # as a binary frame
        text = raw.decode("utf-8", "replace")
        if self._random.random() < 0.1:
            middle = len(text) // 2
            return [text[:middle], "", text[middle:]]
        return text

    async def _break(self) -> None:
        """Break the protocol itself: the answer is a close frame, or the end of the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        key = b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nUpgrade: websocket\r\n"
            f"Authorization: Bearer bob\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            async with asyncio.timeout(1):  # what looks like half a frame is waited for
                await reader.readuntil(b"\r\n\r\n")
                broken = self._random.choice(BROKEN)
                writer.write(broken)
                if broken != BROKEN[-1]:  # half a head is no fault yet
                    ended = await reader.read()
                    if ended[:1] not in (b"\x88", b""):
                        self._seen.faults.append(f"{broken!r} was answered with {ended[:50]!r}")
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
