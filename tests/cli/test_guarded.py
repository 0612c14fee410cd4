"""Rude clients on real sockets: each is cut off, and a polite one is served beside it.

A deadline of a test is short where the client is to be cut off, and far away where it is not.
"""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from adk_stream_protocol.cli.guarded import SERVER, ConnectionLimits, GuardedHttp, GuardedSockets

SECONDS = 60.0
FAR = 3600.0
PATIENT = ConnectionLimits(
    head_seconds=FAR, body_seconds=FAR, linger_seconds=FAR, control_seconds=FAR
)
POST = b"POST / HTTP/1.1\r\nhost: x\r\n"


async def count(request: Request) -> Response:
    try:
        return PlainTextResponse(str(len(await request.body())))
    except ClientDisconnect:
        return Response(status_code=499)


async def ignore(request: Request) -> Response:
    return PlainTextResponse("no")


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    try:
        while True:
            await socket.send_text(str(len(await socket.receive_text())))
    except WebSocketDisconnect:
        pass


APP = Starlette(
    routes=[
        Route("/", count, methods=["GET", "POST"]),
        Route("/ignore", ignore, methods=["POST"]),
        WebSocketRoute("/live", echo),
    ]
)


class Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class Client:
    """A connection on which anything may be sent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def flood(self, data: bytes) -> None:
        """Send for ever; it must be cut off."""
        async with asyncio.timeout(SECONDS):
            try:
                while True:
                    await self.send(data)
            except OSError:
                pass

    async def status(self) -> int:
        """Return the status of an answer, which is read to its end."""
        async with asyncio.timeout(SECONDS):
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await self._reader.readexactly(int(length))
            return int(head.split()[1])

    async def is_closed(self) -> bool:
        async with asyncio.timeout(SECONDS):
            try:
                return await self._reader.read(1) == b""
            except ConnectionResetError:
                return True


class Served:
    def __init__(self, port: int) -> None:
        self._port = port
        self.live = f"ws://127.0.0.1:{port}/live"

    @asynccontextmanager
    async def client(self) -> AsyncGenerator[Client]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            yield Client(reader, writer)
        finally:
            writer.close()

    async def still_serves(self) -> bool:
        async with self.client() as polite:
            await polite.send(POST + b"content-length: 5\r\n\r\nhello")
            return await polite.status() == 200


@asynccontextmanager
async def serving(limits: ConnectionLimits) -> AsyncGenerator[Served]:
    class Http(GuardedHttp):
        pass

    class Sockets(GuardedSockets):
        pass

    Http.limits = Sockets.limits = limits
    settings: dict[str, Any] = {**SERVER, "http": Http, "ws": Sockets, "ws_max_size": 100_000}
    server = Server(uvicorn.Config(APP, log_level="critical", lifespan="off", **settings))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = asyncio.create_task(server.serve([listening]))
        try:
            served = Served(listening.getsockname()[1])
            assert await served.still_serves()
            yield served
            assert await served.still_serves()
        finally:
            server.should_exit = True
            await running


TOO_MUCH = {
    "a long address": (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\n\r\n", 414),
    "a large header": (b"GET / HTTP/1.1\r\ncookie: " + b"a" * 70_000 + b"\r\n\r\n", 431),
    "large headers": (b"GET / HTTP/1.1\r\n" + b"a: %s\r\n" % (b"b" * 900) * 90 + b"\r\n", 431),
    "many headers": (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 129 + b"\r\n", 431),
    "many trailers": (
        POST + b"transfer-encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * 129 + b"\r\n",
        431,
    ),
    "no request": (b"\x16\x03\x01\x02\x00\x01", 400),
}


@pytest.mark.parametrize("name", TOO_MUCH)
async def test_what_is_too_much_is_answered_and_cut_off(name: str) -> None:
    request, status = TOO_MUCH[name]
    async with serving(PATIENT) as served, served.client() as rude:
        await rude.send(request)
        assert await rude.status() == status
        assert await rude.is_closed()


ENDLESS = {
    "an address": (b"GET /", b"a" * 65_536),
    "a header": (b"GET / HTTP/1.1\r\na: ", b"a" * 65_536),
    "headers": (b"GET / HTTP/1.1\r\n", b"a: b\r\n" * 10_000),
    "a trailer": (POST + b"transfer-encoding: chunked\r\n\r\n0\r\na: ", b"a" * 65_536),
    "the extension of a chunk": (POST + b"transfer-encoding: chunked\r\n\r\n5;", b"a" * 65_536),
    "empty lines": (b"\r\n", b"\r\n" * 32_768),
}


@pytest.mark.parametrize("name", ENDLESS)
async def test_what_never_ends_is_cut_off_by_its_size(name: str) -> None:
    begin, more = ENDLESS[name]
    async with serving(PATIENT) as served, served.client() as rude:
        await rude.send(begin)
        await rude.flood(more)


SLOW = {
    "a silent client": (b"", None),
    "empty lines": (b"\r\n", None),
    "half an address": (b"GET /abc", 408),
    "half a head": (POST + b"cookie: a", 408),
    "half a body": (POST + b"content-length: 100\r\n\r\nhalf", 408),
    "half a chunk": (POST + b"transfer-encoding: chunked\r\n\r\n5\r\nab", 408),
}


@pytest.mark.parametrize("name", SLOW)
async def test_who_takes_for_ever_is_cut_off(name: str) -> None:
    request, status = SLOW[name]
    limits = replace(PATIENT, head_seconds=0.2, body_seconds=0.2)
    async with serving(limits) as served, served.client() as rude:
        await rude.send(request)
        if status:
            assert await rude.status() == status
        assert await rude.is_closed()


async def test_a_second_request_has_a_deadline_as_well() -> None:
    async with serving(replace(PATIENT, head_seconds=0.2)) as served, served.client() as rude:
        await rude.send(POST + b"content-length: 2\r\n\r\nhiGET / HTTP/1.1\r\ncook")
        assert await rude.status() == 200
        assert await rude.status() == 408
        assert await rude.is_closed()


async def test_a_body_that_nobody_reads_ends_soon_after_its_answer() -> None:
    async with serving(replace(PATIENT, linger_seconds=0.2)) as served, served.client() as rude:
        await rude.send(b"POST /ignore HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n")
        assert await rude.status() == 200
        await rude.flood(b"a" * 65_536)


async def test_a_body_that_keeps_coming_has_the_time_it_needs() -> None:
    """Every byte buys an hour: with the first deadline gone by, the client is still heard."""
    limits = replace(PATIENT, body_seconds=0.01, body_rate=1)
    async with serving(limits) as served, served.client() as slow:
        await slow.send(POST + b"content-length: 7200\r\n\r\n" + b"a" * 3600)
        async with served.client() as other:  # gone after its own deadline, which is later
            await other.send(POST + b"content-length: 9\r\n\r\n")
            assert await other.status() == 408
        await slow.send(b"a" * 3600)
        assert await slow.status() == 200


async def test_single_bytes_in_chunks_are_a_body() -> None:
    async with serving(PATIENT) as served, served.client() as fussy:
        chunks = b"1\r\na\r\n" * 30_000
        await fussy.send(POST + b"transfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")
        assert await fussy.status() == 200


async def test_a_socket_is_not_held_to_the_deadline_of_a_request() -> None:
    async with serving(replace(PATIENT, head_seconds=0.2)) as served, connect(served.live) as live:
        for _ in range(2):
            async with served.client() as silent:  # whose deadline is later than the socket's was
                assert await silent.is_closed()
            await live.send("abc")
            assert await live.recv() == "3"


async def test_a_flood_of_pings_closes_a_socket() -> None:
    async with serving(PATIENT) as served, connect(served.live, proxy=None) as rude:
        await rude.send("hello")
        assert await rude.recv() == "5"
        with pytest.raises(ConnectionClosed):
            async with asyncio.timeout(SECONDS):
                while True:
                    await (await rude.ping())
        assert rude.close_code == 1008 and rude.close_reason == "too many control frames"


async def test_a_flood_of_pongs_closes_a_socket() -> None:
    async with serving(PATIENT) as served, connect(served.live, proxy=None) as rude:
        for _ in range(PATIENT.controls + 1):
            await rude.pong()
        async with asyncio.timeout(SECONDS):
            await rude.wait_closed()
        assert rude.close_code == 1008


async def test_pings_now_and_then_are_answered() -> None:
    limits = replace(PATIENT, controls=1, control_seconds=0.0)
    async with serving(limits) as served, connect(served.live, proxy=None) as polite:
        for _ in range(20):
            async with asyncio.timeout(SECONDS):
                await (await polite.ping())


async def test_a_message_of_endless_empty_fragments_closes_a_socket() -> None:
    async def fragments() -> AsyncGenerator[str]:
        while True:
            yield ""

    async with serving(PATIENT) as served, connect(served.live, proxy=None) as rude:
        with pytest.raises(ConnectionClosed):
            async with asyncio.timeout(SECONDS):
                await rude.send(fragments())
        assert rude.close_code == 1008 and rude.close_reason == "too many fragments"


async def test_a_message_in_pieces_arrives() -> None:
    async with serving(PATIENT) as served, connect(served.live, proxy=None) as polite:
        await polite.send(["he", "ll", "o"])
        assert await polite.recv() == "5"
