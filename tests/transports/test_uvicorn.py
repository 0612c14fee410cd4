"""uvicorn's sockets, whose messages are written at one go: none is lost, late or out of place."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from adk_stream_protocol.transports import uvicorn as uvicorn_sockets
from adk_stream_protocol.transports.uvicorn import UVICORN, GatheringSockets
from tests.support.servers.in_process import until

WRITES: list[int] = []


class Counted:
    """The transport below, whose writes are counted."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        WRITES.append(len(data))
        self._transport.write(data)


class CountedSockets(GatheringSockets):
    """The sockets under test on such a transport."""

    def connection_made(self, transport: Any) -> None:
        counted: Any = Counted(transport)
        super().connection_made(counted)


class Server(uvicorn.Server):
    """Leaves the signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def refusal(websocket: WebSocket) -> None:
    """Says why, and is gone in the same moment."""
    await websocket.send_denial_response(PlainTextResponse("not today", 403))


async def endpoint(websocket: WebSocket) -> None:
    """Sends as many messages of as many letters as it is told, then closes if it is told so."""
    await websocket.accept()
    while True:
        count, size, then = (await websocket.receive_text()).split()
        for number in range(int(count)):
            await websocket.send_text(f"{number}:".ljust(int(size), "x"))
        if then == "close":
            await websocket.close(4000, "as told")
            return


@asynccontextmanager
async def client(**config: Any) -> AsyncGenerator[ClientConnection]:
    app = Starlette(routes=[WebSocketRoute("/", endpoint), WebSocketRoute("/no", refusal)])
    given: Any = {**UVICORN, "log_level": "critical", "ws": CountedSockets, **config}
    server = Server(uvicorn.Config(app, port=0, **given))
    task = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with connect(f"ws://127.0.0.1:{port}/", max_size=None) as socket:
        yield socket
    server.should_exit = True
    await task


async def ask(socket: ClientConnection, count: int, size: int, then: str = "stay") -> list[str]:
    WRITES.clear()
    await socket.send(f"{count} {size} {then}")
    return [str(await socket.recv()) for _ in range(count)]


def expected(count: int, size: int) -> list[str]:
    return [f"{number}:".ljust(size, "x") for number in range(count)]


async def test_messages_sent_at_one_go_are_one_write() -> None:
    async with client() as socket:
        assert await ask(socket, 100, 50) == expected(100, 50)
        assert len(WRITES) == 1


async def test_a_lone_message_is_written_by_itself_and_at_once() -> None:
    async with client() as socket:
        for _ in range(3):
            assert await ask(socket, 1, 20) == expected(1, 20)
            assert len(WRITES) == 1


async def test_much_is_written_in_pieces_so_that_the_transport_can_say_that_it_is_full() -> None:
    async with client() as socket:
        assert await ask(socket, 40, 100_000) == expected(40, 100_000)
        assert len(WRITES) == 40
        assert await ask(socket, 4_000, 1_000) == expected(4_000, 1_000)
        assert max(WRITES) < uvicorn_sockets.MAX_GATHERED + 2_000
        assert len(WRITES) < 100


async def test_what_was_sent_before_a_close_arrives_before_it() -> None:
    async with client() as socket:
        assert await ask(socket, 50, 200, "close") == expected(50, 200)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd and (closed.value.rcvd.code, closed.value.rcvd.reason) == (
            4000,
            "as told",
        )


async def test_text_that_is_no_text_closes_the_socket_and_is_no_fault_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with client(log_level="warning", log_config=None) as socket:
        await socket.send(b"\xc3(", text=True)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd and closed.value.rcvd.code == 1007
    assert "UTF-8" not in caplog.text


async def test_a_letter_may_be_cut_in_two_by_fragments() -> None:
    async with client() as socket:
        await socket.send([b"1 5 st", "é".encode()[:1], "é".encode()[1:]], text=True)
        assert await socket.recv() == "0:xxx"


async def test_who_is_not_let_in_is_told_why(caplog: pytest.LogCaptureFixture) -> None:
    async with client(log_level="warning", log_config=None) as socket:
        port = socket.remote_address[1]
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{port}/no")
        assert refused.value.response.status_code == 403
        assert refused.value.response.body == b"not today"
    assert "handshake" not in caplog.text


async def test_pings_are_answered_between_messages() -> None:
    async with client() as socket:
        for _ in range(5):
            pong = await socket.ping()
            assert await ask(socket, 10, 30) == expected(10, 30)
            await asyncio.wait_for(pong, 60)


async def test_compression_works_where_it_is_asked_for() -> None:
    async with client(ws_per_message_deflate=True) as socket:
        assert await ask(socket, 100, 500) == expected(100, 500)


async def test_who_leaves_while_much_is_sent_leaves_nothing_behind() -> None:
    async with client() as socket:
        await socket.send("4000 1000 stay")
        await socket.recv()
        socket.transport.abort()
    async with client() as another:
        assert await ask(another, 3, 10) == expected(3, 10)
