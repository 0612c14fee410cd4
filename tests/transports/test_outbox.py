"""The way out of one socket: turns side by side or one by one, and nobody waits for the slow."""

import asyncio
import json
from typing import Any

import pytest
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.protocol.chunks import TextDelta
from adk_stream_protocol.protocol.frames import EnvelopeReply, SdkReply
from adk_stream_protocol.transports import outbox as outboxes
from adk_stream_protocol.transports.outbox import Outbox

CHAT = ChatId("shop", "alice", "c")


class Wire:
    """The server's end of a socket; while it is not `open`, nothing leaves."""

    def __init__(self, stalled: float = 60.0) -> None:
        self.sent: list[str] = []
        self.closed: list[int] = []
        self.open = asyncio.Event()
        self.open.set()
        self.error: Exception | None = None
        websocket = WebSocket({"type": "websocket"}, self._receive, self._send)
        websocket.client_state = websocket.application_state = WebSocketState.CONNECTED
        self.outbox = Outbox(websocket, self._send, stalled)
        self._news = asyncio.Event()

    async def _receive(self) -> Any:
        raise AssertionError("nothing is read")

    async def _send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.closed.append(message["code"])
            self._news.set()
            return
        await self.open.wait()
        if self.error:
            raise self.error
        self.sent.append(message["text"])
        self._news.set()

    async def until(self, count: int) -> list[str]:
        async with asyncio.timeout(60):
            while len(self.sent) < count:
                self._news.clear()
                await self._news.wait()
        return self.sent

    async def until_closed(self) -> int:
        async with asyncio.timeout(60):
            while not self.closed:
                self._news.clear()
                await self._news.wait()
        return self.closed[0]


def said(turn: Turn, *texts: str) -> None:
    turn.put([TextDelta(id="0", delta=text) for text in texts])


async def test_a_turn_is_sent_with_its_end_and_then_forgotten() -> None:
    wire, turn = Wire(), Turn("r", CHAT)
    wire.outbox.follow("r1", turn, SdkReply("r1"))
    assert wire.outbox.turn_of("r1") is turn
    said(turn, "a")
    turn.end([])
    frames = [json.loads(text) for text in await wire.until(2)]
    assert [frame["type"] for frame in frames] == ["chunk", "end"]
    await asyncio.sleep(0)
    assert wire.outbox.turn_of("r1") is None


async def test_turns_of_the_sdk_are_sent_side_by_side() -> None:
    wire, turns = Wire(), [Turn("r", CHAT), Turn("r", CHAT)]
    for number, turn in enumerate(turns):
        wire.outbox.follow(f"r{number}", turn, SdkReply(f"r{number}"))
    said(turns[1], "b")
    await wire.until(1)
    said(turns[0], "a")
    frames = [json.loads(text) for text in await wire.until(2)]
    assert [frame["requestId"] for frame in frames] == ["r1", "r0"]
    wire.outbox.cancel()


async def test_turns_of_envelopes_are_sent_one_by_one() -> None:
    wire, turns = Wire(), [Turn("r", CHAT), Turn("r", CHAT)]
    for number, turn in enumerate(turns):
        wire.outbox.follow(f"r{number}", turn, EnvelopeReply())
    turns[1].end([TextDelta(id="0", delta="second")])
    await wire.outbox.answer(EnvelopeReply(), ["an answer"])
    turns[0].end([TextDelta(id="0", delta="first")])
    sent = await wire.until(5)
    assert "first" in sent[0] and "second" in sent[2] and sent[4] == "an answer"


async def test_an_answer_of_the_sdk_waits_for_no_turn() -> None:
    wire, turn = Wire(), Turn("r", CHAT)
    wire.outbox.follow("r1", turn, SdkReply("r1"))
    await wire.outbox.answer(SdkReply("r2"), ["an answer"])
    assert wire.sent == ["an answer"]
    wire.outbox.cancel()


async def test_too_many_answers_that_wait_end_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "MAX_WAITING", 2)
    wire, turn = Wire(), Turn("r", CHAT)
    wire.outbox.follow("r1", turn, EnvelopeReply())
    for _ in range(2):
        await wire.outbox.answer(EnvelopeReply(), ["an answer"])
    assert await wire.until_closed() == outboxes.TOO_MANY
    wire.outbox.cancel()


async def test_a_socket_that_takes_nothing_is_closed() -> None:
    wire, turn = Wire(stalled=0.01), Turn("r", CHAT)
    wire.open.clear()
    wire.outbox.follow("r1", turn, SdkReply("r1"))
    said(turn, "a")
    assert await wire.until_closed() == outboxes.TOO_SLOW


@pytest.mark.parametrize("error", [OSError("broken pipe"), RuntimeError("closed by us")])
async def test_a_socket_that_is_gone_is_a_disconnect(error: Exception) -> None:
    wire = Wire()
    wire.error = error
    with pytest.raises(WebSocketDisconnect):
        await wire.outbox.send(["a"])
    wire.outbox.send_soon(["a"])  # nobody waits for it, and nobody hears of it


async def test_a_job_that_is_cancelled_before_it_began_leaves_its_reader() -> None:
    wire, turn = Wire(), Turn("r", CHAT)
    wire.outbox.follow("r1", turn, SdkReply("r1"))
    wire.outbox.cancel()
    await turn.drain(60)
    assert not turn.is_full


async def test_a_close_that_comes_too_late_is_not_told() -> None:
    wire = Wire()
    wire.outbox.close_soon(1000, "bye")
    assert await wire.until_closed() == 1000
    wire.outbox.close_soon(1000, "bye")
    await asyncio.sleep(0)
    assert wire.closed == [1000]
