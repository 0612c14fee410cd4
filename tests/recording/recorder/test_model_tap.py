"""The tap between google-genai and the service: everything goes on, and all of it is written down.

The service is a real one on this machine, over TLS; the tap is called as an app.
"""

import json
import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from adk_stream_protocol.recording.recorder.model_tap import ModelTap
from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.stand_in.local_server import LocalServer, drop
from adk_stream_protocol.recording.tapes.tape import (
    Asked,
    Body,
    Closed,
    Connected,
    Dropped,
    Entry,
    Frame,
    Lost,
    Said,
    Sent,
)

KEY = "AIza-a-key-that-nobody-else-has"
CALL = "/v1beta/models/gemini-2.5-flash"


class Service:
    """What the real service would do, as the words of its caller ask for it."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.queries: list[str] = []
        self.app = Starlette(
            routes=[
                Route("/{path:path}", self._answer, methods=["GET", "POST"]),
                WebSocketRoute("/{path:path}", self._talk),
            ]
        )

    async def _answer(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        self.queries.append(request.url.query)
        if request.method == "GET":
            return JSONResponse({"models": []})
        wish = (await request.json())["wish"]
        if wish == "text":
            return PlainTextResponse("not JSON", 502)
        if wish == "whole":
            return JSONResponse({"n": 1}, headers={"x-served": "yes"})
        return StreamingResponse(
            self._events(request, breaks=wish == "break"), media_type="text/event-stream"
        )

    async def _events(self, request: Request, *, breaks: bool) -> AsyncIterator[bytes]:
        yield b'data: {"n": 1}\r\n\r\n'
        if breaks:
            drop(request)
        else:
            yield b'data: {"n": 2}\r\n\r\n'

    async def _talk(self, websocket: WebSocket) -> None:
        self.headers.append(dict(websocket.headers))
        if websocket.url.path == "/refused":
            await websocket.close()
            return
        await websocket.accept()
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            wish = json.loads(message.get("text") or message["bytes"])["wish"]
            if wish == "close":
                await websocket.close(1011, "quota")
                return
            if wish == "break":
                drop(websocket)
                return
            if wish == "bytes":
                await websocket.send_bytes(b'{"n": 1}')
            else:
                await websocket.send_text('{"n": 1}')


class Tape(Recorder):
    """Keeps the entries as they come."""

    def __init__(self, folder: Path) -> None:
        self.entries: list[Entry] = []
        self.told: list[str] = []
        super().__init__(folder / "chat.json", self.told.append)

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        super().add(entry)


class Line:
    """A caller, the tap, and the service behind it."""

    def __init__(self, service: Service, behind: LocalServer, folder: Path) -> None:
        self.service = service
        self.tape = Tape(folder)
        self._tap = ModelTap(self.tape, behind.url + "/", str(behind.certificate))
        self.server = LocalServer(self._tap.app, folder)
        self._trust = ssl.create_default_context(cafile=str(self.server.certificate))

    async def post(self, path: str, wish: str) -> httpx.Response:
        async with self._client() as client:
            body, headers = {"wish": wish}, {"x-goog-api-key": KEY}
            return await client.post(path, json=body, headers=headers)

    async def get(self, path: str) -> httpx.Response:
        async with self._client() as client:
            return await client.get(path)

    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            verify=self._trust, trust_env=False, base_url=self.server.url, timeout=60
        )

    def connected(self, path: str = "/live") -> connect:
        url = f"{self.server.url.replace('https', 'wss')}{path}?key={KEY}"
        return connect(url, ssl=self._trust, proxy=None)


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, LocalServer]]:
    service = Service()
    server = LocalServer(service.app, tmp_path_factory.mktemp("service"))
    server.start()
    yield service, server
    server.stop()


@pytest.fixture
def line(behind: tuple[Service, LocalServer], tmp_path: Path) -> Iterator[Line]:
    service, server = behind
    service.headers, service.queries = [], []
    line = Line(service, server, tmp_path)
    line.server.start()
    yield line
    line.server.stop()


async def test_a_streamed_answer_is_passed_on_and_written_down(line: Line) -> None:
    answer = await line.post(f"{CALL}:streamGenerateContent?alt=sse", "stream")
    assert answer.text == 'data: {"n": 1}\r\n\r\ndata: {"n": 2}\r\n\r\n'
    request = {"model": "gemini-2.5-flash", "method": "streamGenerateContent", "wish": "stream"}
    assert line.tape.entries == [Asked(1, request), Frame(1, {"n": 1}), Frame(1, {"n": 2})]
    assert line.service.queries == ["alt=sse"]


async def test_the_key_goes_to_the_service_and_into_no_file(line: Line) -> None:
    await line.post(f"{CALL}:generateContent", "whole")
    (headers,) = line.service.headers
    assert headers["x-goog-api-key"] == KEY
    line.tape.warn(f"the key is {KEY}")
    assert KEY not in line.tape.told[-1]
    assert KEY not in repr(line.tape.entries)


async def test_an_answer_in_one_piece(line: Line) -> None:
    answer = await line.post(f"{CALL}:generateContent", "whole")
    assert answer.json() == {"n": 1} and answer.headers["x-served"] == "yes"
    assert line.tape.entries[1:] == [Body(1, 200, {"n": 1})]


async def test_an_answer_that_is_no_json(line: Line) -> None:
    answer = await line.post(f"{CALL}:generateContent", "text")
    assert (answer.status_code, answer.text) == (502, "not JSON")
    assert line.tape.entries[1:] == [Body(1, 502, "not JSON")]


async def test_an_answer_that_breaks_off(line: Line) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        await line.post(f"{CALL}:streamGenerateContent", "break")
    assert line.tape.entries[1:] == [Frame(1, {"n": 1}), Dropped(1)]


@pytest.mark.parametrize("wish", ["whole", "stream", "break"])
async def test_what_is_no_call_of_a_model_is_passed_on_and_said_once(line: Line, wish: str) -> None:
    for _ in range(2):
        if wish == "break":
            with pytest.raises(httpx.RemoteProtocolError):
                await line.post("/v1beta/files", wish)
        else:
            assert (await line.post("/v1beta/files", wish)).status_code == 200
    assert line.tape.entries == []
    assert line.tape.told == ["POST /v1beta/files of the model is not recorded"]
    assert (await line.get("/v1beta/models")).json() == {"models": []}


@pytest.mark.parametrize("path", [f"{CALL}:generateContent", "/v1beta/files"])
async def test_a_service_that_cannot_be_reached(path: str, tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    tap = ModelTap(tape, "http://127.0.0.1:9", ssl.get_default_verify_paths().cafile or "")
    transport = httpx.ASGITransport(tap.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://tap") as client:
        answer = await client.post(path, json={})
    assert answer.status_code == 503 and answer.json()["error"]["status"] == "UNAVAILABLE"
    assert "cannot be reached" in tape.told[-1]
    assert [type(entry) for entry in tape.entries] == ([Asked, Body] if ":" in path else [])


async def exchange(socket: ClientConnection, wish: str) -> Any:
    await socket.send(json.dumps({"wish": wish}))
    return json.loads(await socket.recv())


async def test_a_live_connection_is_passed_on_and_written_down(line: Line) -> None:
    async with line.connected() as socket:
        assert await exchange(socket, "text") == await exchange(socket, "bytes") == {"n": 1}
    said = [Connected(1)]
    for wish in ("text", "bytes"):
        said += [Sent(1, {"wish": wish}), Said(1, {"n": 1})]
    assert line.tape.entries == said
    line.tape.warn(f"the key is {KEY}")
    assert KEY not in line.tape.told[-1]


async def test_the_service_ends_a_live_connection(line: Line) -> None:
    async with line.connected() as socket:
        with pytest.raises(ConnectionClosed) as ended:
            await exchange(socket, "close")
    received = ended.value.rcvd
    assert received is not None and (received.code, received.reason) == (1011, "quota")
    assert line.tape.entries[-1] == Closed(1, 1011, "quota")


async def test_a_live_connection_breaks(line: Line) -> None:
    async with line.connected() as socket:
        with pytest.raises(ConnectionClosed) as ended:
            await exchange(socket, "break")
    assert ended.value.rcvd is None
    assert line.tape.entries[-1] == Lost(1)


async def test_a_live_connection_that_the_service_refuses(line: Line) -> None:
    with pytest.raises(Exception, match="403"):
        async with line.connected("/refused"):
            raise AssertionError("it was accepted")
    assert line.tape.entries == [] and "refused a connection" in line.tape.told[-1]
