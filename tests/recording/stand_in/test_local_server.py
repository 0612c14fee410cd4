"""A server on this machine: reached over TLS by who trusts it, and it can break a connection."""

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.server import ServerState
from websockets.client import ClientProtocol
from websockets.uri import parse_uri

from adk_stream_protocol.recording.stand_in.local_server import DroppableSocket, LocalServer, drop


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("Hello.")


async def broken(request: Request) -> PlainTextResponse:
    drop(request)
    return PlainTextResponse("never sent")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LocalServer]:
    routes = [Route("/hello", hello), Route("/broken", broken)]
    server = LocalServer(Starlette(routes=routes), tmp_path)
    server.start()
    yield server
    server.stop()


def trusting(server: LocalServer) -> httpx.Client:
    verify = ssl.create_default_context(cafile=str(server.certificate))
    return httpx.Client(verify=verify, trust_env=False, base_url=server.url)


def test_it_answers_who_trusts_it(server: LocalServer) -> None:
    with trusting(server) as client:
        assert client.get("/hello").text == "Hello."
    with httpx.Client(trust_env=False) as stranger, pytest.raises(httpx.ConnectError):
        stranger.get(f"{server.url}/hello")


def test_a_connection_that_breaks(server: LocalServer) -> None:
    with trusting(server) as client, pytest.raises(httpx.RemoteProtocolError):
        client.get("/broken")


class Pipe(asyncio.Transport):
    """A transport that keeps what is written, and whose end takes a while."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.has_answer = asyncio.Event()
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)
        self.has_answer.set()

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True


async def accept(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.receive()


async def test_the_server_may_end_while_a_client_closes_its_socket() -> None:
    app = Starlette(routes=[WebSocketRoute("/", accept)])
    config = uvicorn.Config(app, log_config=None, lifespan="off")
    config.load()
    socket, pipe = DroppableSocket(config, ServerState(), {}), Pipe()
    socket.connection_made(pipe)
    client = ClientProtocol(parse_uri("ws://127.0.0.1/"))
    client.send_request(client.connect())
    socket.data_received(b"".join(client.data_to_send()))
    async with asyncio.timeout(60):
        await pipe.has_answer.wait()
    client.receive_data(pipe.written)
    client.send_close(1000)
    socket.data_received(b"".join(client.data_to_send()))
    answered = pipe.written
    socket.shutdown()
    assert pipe.is_closing() and pipe.written == answered
    socket.connection_lost(None)
    await asyncio.gather(*socket.tasks)
