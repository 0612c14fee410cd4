"""The socket endpoint in this process: frames into an app, and what becomes of them."""

import json
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from starlette.applications import Starlette
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp

from adk_stream_protocol import Principal, mount
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.recording.player.asgi_socket import AsgiSocket
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.testing.holds import release
from tests.support.desk import until
from tests.support.servers.without_network import Served, agent
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
HELLO = "/say 2"
SPOKEN = b64encode(b"hello").decode()


def send(text: str, request: str = "r1", chat: str = "c") -> Json:
    part = {"type": "text", "text": text}
    messages = [{"id": "u", "role": "user", "parts": [part]}]
    return {"type": "send", "requestId": request, "id": chat, "messages": messages}


def envelope(text: str, **fields: Any) -> Json:
    data = {"messages": [{"role": "user", "content": text}]}
    return {"type": "message", "version": "1.0", "data": data, **fields}


class Client(AsgiSocket):
    """Reads the answers to one request after another; a server may deny it with a response."""

    def __init__(
        self, app: ASGIApp, query: str = "", headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(app, "/live", query, headers=headers, patience=10)
        self._scope["extensions"] = {"websocket.http.response": {}}

    async def send_bytes(self, content: bytes) -> None:
        self._up.put_nowait({"type": "websocket.receive", "bytes": content})

    async def turn(self, request: str = "r1") -> list[Json]:
        """The chunks of a turn in the AI SDK's frames, up to its end."""
        chunks: list[Json] = []
        while (frame := await self.receive())["type"] != "end":
            assert frame["requestId"] == request, frame
            chunks.append(frame["chunk"])
        return chunks

    async def events(self) -> list[Json]:
        """The chunks of a turn in the text of an event stream."""
        found: list[Json] = []
        while (text := await self.receive_text()) != "data: [DONE]\n\n":
            found.append(json.loads(text.removeprefix("data: ")))
        return found


@asynccontextmanager
async def connected(served: Served, query: str = "", **headers: str) -> AsyncGenerator[Client]:
    async with Client(served.app, query, headers) as client:
        yield client


def said(chunks: list[Json]) -> str:
    return "".join(chunk.get("delta", "") for chunk in chunks)


async def test_a_message_is_answered_in_frames_of_its_request() -> None:
    served = Served(agent())
    async with connected(served) as client:
        for request in ("r1", "r2"):
            await client.send(send(HELLO, request))
            assert said(await client.turn(request)) == "1 2 "
    await served.chat.close()


async def test_envelopes_keep_to_the_chat_that_they_began() -> None:
    served = Served(agent())
    async with connected(served) as client:
        await client.send(envelope("/say 1"))
        assert said(await client.events()) == "1 "
        await client.send(envelope("/echo"))
        assert "/say 1" in said(await client.events()), "the same chat goes on"
        await client.send({"type": "ping", "version": "1.0", "timestamp": 5})
        assert await client.receive() == {"type": "pong", "version": "1.0", "timestamp": 5}
        await client.send({"type": "resume", "version": "1.0"})
        assert await client.events() == [], "nothing runs"
    await served.chat.close()


@pytest.mark.parametrize("query", ["chatId=" + "x" * 129, "approvals=loud"])
async def test_an_address_that_makes_no_sense_is_denied(query: str) -> None:
    with pytest.raises(AssertionError, match="422"):
        async with connected(Served(agent()), query):
            raise AssertionError("it was accepted")


async def test_who_is_nobody_is_denied() -> None:
    def nobody(connection: HTTPConnection) -> Principal | None:
        return None

    app = Starlette()
    mount(app, agent(), identify=nobody, session_service=InMemorySessionService())
    with pytest.raises(AssertionError, match="401"):
        async with Client(app):
            raise AssertionError("it was accepted")


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        ({"type": "later", "requestId": "r1"}, "not a known type"),
        ({"type": "send", "requestId": "r1", "id": "c", "messages": "none"}, "malformed"),
        ({"type": "resume", "requestId": "r1"}, "the id of the chat is missing"),
        ({"type": "audio", "requestId": "r1", "id": "c", "audio": "?"}, "base64"),
    ],
)
async def test_a_frame_that_makes_no_sense_is_answered_and_the_socket_stays(
    frame: Json, fault: str
) -> None:
    served = Served(agent())
    async with connected(served) as client:
        await client.send(send(HELLO, "r0"))
        await client.turn("r0")
        await client.send(frame)
        answer = await client.receive()
        assert (answer["type"], answer["requestId"]) == ("error", "r1")
        assert fault in answer["errorText"]
        await client.send(send(HELLO, "r2"))
        assert said(await client.turn("r2")) == "1 2 "
    await served.chat.close()


async def test_what_fails_inside_is_answered_with_a_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("SELECT secret")

    served = Served(agent())
    monkeypatch.setattr(Chats, "open_turn", broken)
    async with connected(served) as client:
        await client.send(send(HELLO))
        answer = await client.receive()
        assert answer["type"] == "error" and "secret" not in answer["errorText"]
        assert "reference" in answer["errorText"]


async def test_a_turn_that_runs_is_resumed_from_its_beginning_and_stopped() -> None:
    served = Served(agent())
    async with connected(served) as first, connected(served) as second:
        await first.send(send("/say 2\n/hold resumed"))
        while said([(await first.receive())["chunk"]]) != "2 ":
            pass
        await second.send({"type": "resume", "requestId": "r9", "id": "c"})
        assert await second.receive() == {"type": "start", "requestId": "r9"}
        assert (await second.receive())["chunk"]["type"] == "start"
        await second.send({"type": "abort", "requestId": "r9", "id": "c"})
        chunks = await second.turn("r9")
        assert said(chunks) == "1 2 " and chunks[-1]["type"] == "finish"
        await second.send({"type": "abort", "requestId": "r9", "id": "c"})
        await second.send({"type": "abort", "requestId": "", "id": "c"})
        await second.send({"type": "resume", "requestId": "r8", "id": "c"})
        assert await second.receive() == {"type": "no-active", "requestId": "r8"}
    release("resumed")
    await served.chat.close()


async def test_a_second_socket_replaces_the_first() -> None:
    served = Served(agent())
    async with connected(served) as second:
        async with connected(served) as first:
            await first.send(send(HELLO))
            await first.turn()
            await second.send(send(HELLO))
            await second.turn()
            with pytest.raises(AssertionError, match="4001"):
                await first.receive()
        await second.send(send(HELLO, "r2"))
        assert said(await second.turn("r2")) == "1 2 "
    await served.chat.close()


async def test_a_socket_keeps_so_many_live_chats() -> None:
    served = Served(agent(), limits=Limits(live_chats_per_socket=1))
    async with connected(served) as client:
        for name in ("a", "b"):
            await client.send(send(HELLO, name, name))
            await client.turn(name)
        runs = [served.chat.of("alice", name).live for name in ("a", "b")]
        assert [run and run.socket.is_attached for run in runs] == [False, True]
    await served.chat.close()


async def test_speech_begins_a_turn_that_is_announced() -> None:
    served = Served(agent())
    async with connected(served) as client:
        await client.send({"type": "audio", "requestId": "", "id": "c", "audio": SPOKEN})
        await client.send({"type": "audio-end", "requestId": "", "id": "c"})
        notice = {"type": "turn", "requestId": "server", "id": "c"}
        assert await client.receive() == notice
        await client.send({"type": "resume", "requestId": "r1", "id": "c"})
        assert await client.receive() == {"type": "start", "requestId": "r1"}
        assert (await client.turn())[-1]["type"] == "finish"
    await served.chat.close()


async def test_speech_in_the_older_dialect_is_bytes_and_its_turn_comes_by_itself() -> None:
    served = Served(agent())
    async with connected(served, "chatId=c") as client:
        await client.send(envelope("/say 1"))
        await client.events()
        await client.send_bytes(b"hello")
        await client.send({"type": "audio-end", "version": "1.0"})
        assert (await client.events())[-1]["type"] == "finish"
    await served.chat.close()


async def test_an_approval_is_asked_and_answered_in_the_style_of_the_dialect() -> None:
    till = Till()
    served = Served(agent(till.tool()))
    async with connected(served, "chatId=c") as client:
        await client.send(envelope(PAY))
        chunks = await client.events()
        (dialog,) = [
            one
            for one in chunks
            if one["type"] == "tool-input-available"
            and one["toolName"] == "adk_request_confirmation"
        ]
        answer = {"toolCallId": dialog["toolCallId"], "result": {"confirmed": True}}
        await client.send({"type": "tool_result", "version": "1.0", "data": answer})
        assert "tool-output-available" in [one["type"] for one in await client.events()]
    assert till.paid == [5]
    await served.chat.close()


async def test_a_socket_that_leaves_lets_its_chats_go() -> None:
    served = Served(agent())
    async with connected(served) as client:
        await client.send(send(HELLO))
        await client.turn()
        run = served.chat.of("alice", "c").live
        assert run is not None and run.socket.is_attached
    await until(lambda: not run.socket.is_attached)
    await served.chat.close()
