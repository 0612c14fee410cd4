"""A socket straight into an app: what the app sees, and what the client gets."""

import asyncio
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from adk_stream_protocol.recording.player.asgi_socket import AsgiSocket


class App:
    """Answers every frame with what it has seen; refuses if it is told so."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.refuses = refuses
        self.codes: list[int] = []
        self.scope: Scope = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        websocket = WebSocket(scope, receive, send)
        if self.refuses:
            await websocket.close(4401, "who are you?")
            return
        await websocket.accept()
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                self.codes.append(message["code"])
                return
            await websocket.send_text(f'{{"echo": {message["text"]}}}')


async def test_frames_go_up_and_come_down() -> None:
    app = App()
    async with AsgiSocket(app, "/live", "chatId=c") as socket:
        await socket.send({"n": 1})
        assert await socket.receive() == {"echo": {"n": 1}}
        await socket.send({"n": 2})
        assert await socket.receive_text() == '{"echo": {"n": 2}}'
    assert app.codes == [1000], "the app ends before the block does"


async def test_the_app_sees_path_query_and_headers() -> None:
    app = App()
    async with AsgiSocket(app, "/shop/live", "a=1&b=2", headers={"Authorization": "Bearer ann"}):
        seen = WebSocket(app.scope, receive=_nothing, send=_nothing)
        assert (seen.url.path, dict(seen.query_params)) == ("/shop/live", {"a": "1", "b": "2"})
        assert seen.headers["authorization"] == "Bearer ann" and seen.headers["host"] == "demo"


async def test_a_refusal_is_named() -> None:
    with pytest.raises(AssertionError, match="4401"):
        async with AsgiSocket(App(refuses=True), "/live"):
            raise AssertionError("it was accepted")


async def test_an_answer_that_never_comes_is_not_waited_for_for_ever() -> None:
    async with AsgiSocket(App(), "/live", patience=0.01) as socket:
        with pytest.raises(TimeoutError):
            await socket.receive()


async def test_a_close_is_no_answer() -> None:
    async def closing(scope: Scope, receive: Receive, send: Send) -> None:
        websocket = WebSocket(scope, receive, send)
        await websocket.accept()
        await websocket.close(1011)

    async with AsgiSocket(closing, "/live") as socket:
        with pytest.raises(AssertionError, match="1011"):
            await socket.receive()


async def test_an_app_that_does_not_end_is_given_up() -> None:
    async def stubborn(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        async with AsgiSocket(stubborn, "/live", patience=0.01):
            pass


async def _nothing(*_: Any) -> Any:
    raise AssertionError("no message is expected")
