"""A server on this machine: reached over TLS by who trusts it, and it can break a connection."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from adk_stream_protocol.recording.stand_in.local_server import LocalServer, drop


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
