"""An attacker on HTTP: requests as bytes over bare connections, and what came back."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote

from tests.support.hostile.bodies import Bender

SECONDS = 60.0
ROUTES = ["/api/chat", "/stream", "/api/approvals", "/api/chats", "/healthz", "/readyz", "/live"]
METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "get", "FOO"]
HEADERS = [
    "Origin: http://[",
    "Origin: null",
    "Origin: http://evil.example",
    "Origin: \xff",
    "Cookie: adk_stream_user=\xe9.\xe9",
    "Cookie: adk_stream_user=bob.00",
    "Cookie: a=b; a=b; =; ;;;",
    "Authorization: Bearer eve",
    "Authorization: Basic eA==",
    "Authorization: Bearer \xe9",
    "Content-Encoding: gzip",
    "Content-Encoding: br",
    "Transfer-Encoding: gzip",
    "Upgrade: h2c",
    "Upgrade: websocket",
    "Range: bytes=0-",
    "X-Forwarded-For: 127.0.0.1",
    "X-Forwarded-Proto: wss",
    "Accept: */*;q=\xff",
    "Content-Type: text/plain",
    "Content-Type: application/json; charset=utf-7",
    "Content-Type: multipart/form-data; boundary=",
    "Host: evil.example",
    "Last-Event-ID: 9999",
]
GARBAGE = [
    b"\0" * 100,
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST /api/chat HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/chat HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
    b"POST /api/chat HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\n : x\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
]


@dataclass
class Seen:
    """What the attacker got to see."""

    statuses: Counter[int] = field(default_factory=Counter[int])
    faults: list[str] = field(default_factory=list[str])
    secret: bytes = b""

    def note(self, status: int, answer: bytes, sent: bytes) -> None:
        self.statuses[status] += 1
        if status >= 500:
            self.faults.append(f"{status}: {answer[:200]!r} to {sent[:600]!r}")
        if self.secret in answer:
            self.faults.append(f"a secret: {answer[:300]!r} to {sent[:600]!r}")


class Attacker:
    """One connection at a time; a server may close it whenever it likes."""

    def __init__(self, port: int, bender: Bender, seen: Seen) -> None:
        self._port = port
        self._bender = bender
        self._random = bender.random
        self._seen = seen
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def attack(self) -> None:
        """Send one hostile request, and read what comes back."""
        kind = self._random.random()
        if kind < 0.03:
            await self._leave_early(self._random.choice(GARBAGE))
        elif kind < 0.06:
            whole = self._request()
            await self._leave_early(whole[: self._random.randrange(1, len(whole) + 1)])
        else:
            await self._ask(self._request())

    async def close(self) -> None:
        """Leave."""
        if self._writer:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()
        self._reader = self._writer = None

    def _request(self) -> bytes:
        body = self._bender.raw()
        method, path = "POST", "/api/chat"
        if self._random.random() < 0.3:
            method, path = self._random.choice(METHODS), self._path()
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self._port}"]
        lines += ["Authorization: Bearer bob", "Content-Type: application/json"]
        if self._random.random() < 0.15:
            extra = self._random.choice(HEADERS)
            name = extra.partition(":")[0]
            lines = [line for line in lines if not line.startswith(f"{name}:")] + [extra]
        head = "\r\n".join([*lines, f"Content-Length: {len(body)}"])
        return head.encode("latin-1") + b"\r\n\r\n" + body

    def _path(self) -> str:
        name = quote(str(self._bender.random.choice(["mine", "other", "x" * 300, "é\u2028", ".."])))
        inner = [
            f"/api/chat/{name}/messages",
            f"/api/chat/{name}/stream",
            f"/api/chat/{name}/stop",
            f"/api/approvals/{name}",
            f"/api/chat?chatId={name}",
            f"/api/chat?approvals={name}",
            "/api/chat/%ff%fe/messages",
            "/api/chat/%00/stop",
            "/assets/../../../etc/passwd",
            "//evil.example/api/chat",
            "/?" + "a=b&" * 200,
        ]
        return self._random.choice([*ROUTES, *inner])

    async def _leave_early(self, raw: bytes) -> None:
        await self.close()
        _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(raw)
        with suppress(OSError):
            await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def _ask(self, raw: bytes) -> None:
        async with asyncio.timeout(SECONDS):
            if self._writer is None:
                self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            assert self._reader
            try:
                self._writer.write(raw)
                await self._writer.drain()
                status, answer, is_over = await read_answer(self._reader, raw.startswith(b"HEAD"))
            except (OSError, asyncio.IncompleteReadError):
                # The server may close on garbage, or on a connection that was idle for long.
                await self.close()
                return
        self._seen.note(status, answer, raw)
        if is_over:
            await self.close()


async def read_answer(reader: asyncio.StreamReader, is_head: bool) -> tuple[int, bytes, bool]:
    """Read an answer: its status, its body, and whether the connection is over with it."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = int(head.split(b" ", 2)[1])
    pairs = (line.partition(b":") for line in head.split(b"\r\n")[1:-2])
    headers = {name.strip(): value.strip() for name, _, value in pairs}
    is_over = headers.get(b"connection") == b"close" or status == 101
    if is_head or status in (101, 204, 304):
        return status, head, is_over
    if headers.get(b"transfer-encoding") == b"chunked":
        return status, head + await _chunked(reader), is_over
    if length := headers.get(b"content-length"):
        return status, head + await reader.readexactly(int(length)), is_over
    return status, head + await reader.read(), True


async def _chunked(reader: asyncio.StreamReader) -> bytes:
    whole = b""
    while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
        whole += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return whole
