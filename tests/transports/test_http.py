"""A turn as server-sent events: headers, batches, keep-alives, and an end that can be trusted."""

import asyncio
from typing import Any

import pytest

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats import turn as turns
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta
from adk_stream_protocol.transports import http
from adk_stream_protocol.transports.http import EventStream
from adk_stream_protocol.transports.slots import Slots
from tests.support.servers.without_network import Served, agent

CHAT = ChatId("shop", "alice", "c")


class Sent:
    """What a server was given to send."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.came = asyncio.Event()

    async def send(self, message: Any) -> None:
        self.messages.append(message)
        self.came.set()

    async def receive(self) -> Any:
        raise AssertionError("nothing is read")

    @property
    def text(self) -> str:
        return b"".join(message.get("body", b"") for message in self.messages).decode()

    async def until(self, text: str) -> None:
        async with asyncio.timeout(60):
            while text not in self.text:
                self.came.clear()
                await self.came.wait()


def delta(text: str) -> AnyChunk:
    return TextDelta(id="0", delta=text)


def stream_of(turn: Turn, stalled: float = 60.0) -> EventStream:
    return EventStream(turn, Slots(1, "").take(CHAT.user), stalled)


async def test_a_turn_is_sent_as_it_comes_and_ends_with_its_mark() -> None:
    turn, sent = Turn("r", CHAT), Sent()
    streaming = asyncio.create_task(stream_of(turn)({"type": "http"}, sent.receive, sent.send))
    turn.put([delta("a")])
    await sent.until('"a"')
    turn.end([delta("b")])
    await streaming
    assert sent.text.endswith("data: [DONE]\n\n")
    start = sent.messages[0]
    assert start["status"] == 200 and (b"x-vercel-ai-ui-message-stream", b"v1") in start["headers"]


async def test_what_waits_goes_out_in_one_write() -> None:
    turn, sent = Turn("r", CHAT), Sent()
    turn.end([delta(str(number)) for number in range(5)])
    await stream_of(turn)({"type": "http"}, sent.receive, sent.send)
    assert len(sent.messages) == 3 and sent.messages[1]["body"].count(b"data: ") == 5


async def test_silence_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "KEEP_ALIVE_SECONDS", 0.01)
    turn, sent = Turn("r", CHAT), Sent()
    streaming = asyncio.create_task(stream_of(turn)({"type": "http"}, sent.receive, sent.send))
    await sent.until(":")
    turn.end([])
    await streaming
    assert sent.text.startswith(":") and sent.text.endswith("data: [DONE]\n\n")


async def test_a_stream_that_misses_a_piece_has_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_KEPT", 2)
    turn, sent = Turn("r", CHAT), Sent()
    turn.put([delta(str(number)) for number in range(5)])
    turn.end([])
    await stream_of(turn)({"type": "http"}, sent.receive, sent.send)
    assert "[DONE]" not in sent.text


async def test_a_stream_that_nobody_takes_is_given_up() -> None:
    turn, sent = Turn("r", CHAT), Sent()
    slots, gone = Slots(1, "Enough."), asyncio.Event()
    stream = EventStream(turn, slots.take(CHAT.user), stalled=0.01)

    async def send(message: Any) -> None:
        await sent.send(message)
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def receive() -> Any:
        await gone.wait()
        return {"type": "http.disconnect"}

    streaming = asyncio.create_task(stream({"type": "http"}, receive, send))
    turn.put([delta("a")])
    unread = asyncio.Event()
    await sent.until('"a"')
    turn.when_unread(unread.set)
    await asyncio.wait_for(unread.wait(), 60)
    slots.take(CHAT.user)
    assert not streaming.done(), "the server would take an early end for a failure of ours"
    gone.set()
    await streaming


async def test_the_three_routes_of_a_turn() -> None:
    served = Served(agent())
    said = await served.say("hello")
    assert said.status == 200 and said.said
    assert (await served.request("GET", "/api/chat/c/stream")).status_code == 204
    stopped = await served.request("POST", "/api/chat/c/stop")
    assert stopped.json() == {"stopped": False}
