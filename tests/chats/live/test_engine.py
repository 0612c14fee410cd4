"""A live run and the turns before it: how it begins, what ends it, and what it waits for."""

import asyncio
from typing import Any

import pytest
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from adk_stream_protocol import ClientTool, stream_data
from adk_stream_protocol.adk import live_queue
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.chats.live import engine as module
from adk_stream_protocol.chats.live.engine import LiveEngine
from adk_stream_protocol.chats.live.settings import LiveOptions
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.events import parts_of
from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.protocol.chunks import Data, Error
from adk_stream_protocol.testing.holds import release
from tests.support.desk import Desk, as_json, kinds, message, read, result, said, until, verdict
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


async def never(queue: object) -> None:
    """As a sending task that has died."""
    await asyncio.Event().wait()


class Socket:
    """Keeps the turns that the server began."""

    def __init__(self) -> None:
        self.own: list[Turn] = []

    def turn_started(self, turn: Turn) -> None:
        self.own.append(turn)

    def replaced(self) -> None:
        raise AssertionError("nobody else came")


def engine_of(desk: Desk) -> LiveEngine:
    """The run of the chat, begun if need be."""
    engine = desk.chats.of("alice", "c").start_live()
    assert isinstance(engine, LiveEngine)
    return engine


def graced(*tools: Any, grace: float = 0, calls: Any = "sequential") -> Desk:
    options = LiveOptions(modality="text", disconnect_grace=grace, calls=calls)
    return Desk(*tools, live=options)


async def is_over(desk: Desk) -> None:
    await until(lambda: desk.chats.of("alice", "c").live is None)


async def test_a_run_begins_with_the_first_message_and_stays() -> None:
    desk = Desk()
    chat = desk.chats.of("alice", "c")
    assert said(await desk.say("hello", live=True))
    engine = chat.live
    assert said(await desk.say("thank you", live=True)) and chat.live is engine
    assert chat.lease.is_held and not chat.turn
    await chat.end()
    assert chat.live is None and not chat.lease.is_held


async def test_a_run_that_never_began_ends_all_the_same() -> None:
    desk = Desk()
    engine = engine_of(desk)
    assert engine.link.message_id.startswith("msg-")
    await engine.close()
    assert engine.is_closing and desk.chats.of("alice", "c").live is None


async def test_a_history_that_ends_with_the_user_is_closed_first() -> None:
    desk = Desk()
    turn = await desk.open(message("/hang 60"))

    async def is_stored() -> bool:
        return bool(desk.inner.sessions) and len((await desk.session()).events) > 0

    await until(is_stored)
    await desk.chats.stop("alice", "c")
    await read(turn)
    await desk.say("hello", live=True)
    parts = [part for event in (await desk.session()).events for part in parts_of(event)]
    assert [part.text for part in parts[:2]] == ["/hang 60", "(waiting for the user)"]
    await desk.close()


async def test_what_a_tool_sends_is_in_the_open_turn() -> None:
    def look() -> dict[str, bool]:
        """Look."""
        stream_data("progress", 50)
        return {"ok": True}

    desk = Desk(look)
    chunks = await desk.say("/call look {}", live=True)
    assert [one for one in chunks if isinstance(one, Data)] == [Data(type="data-progress", data=50)]
    await desk.close()


async def test_speech_starts_a_run_and_is_answered_by_a_turn_of_the_servers() -> None:
    desk = Desk()
    engine, socket = engine_of(desk), Socket()
    engine.socket.attach(socket)
    await engine.speak(b"hello")
    await engine.speak(None)
    await until(lambda: len(socket.own) > 0)
    chunks = await read(socket.own[0])
    assert kinds(chunks)[-1] == "finish"
    assert socket.own[0].message_id == as_json(chunks[0])["messageId"]
    await desk.close()


async def test_a_run_is_given_up_when_its_socket_stays_away() -> None:
    desk = graced(Till().tool())
    engine, socket = engine_of(desk), Socket()
    engine.socket.attach(socket)
    await desk.say(PAY, live=True)
    engine.socket.detach(socket)
    await is_over(desk)
    assert await desk.states() == ["pending"], "the call is parked"
    chunks = await desk.answer(verdict(await desk.record()))
    assert "tool-output-available" in kinds(chunks)


async def test_a_tool_that_runs_is_waited_for() -> None:
    till = Till()
    till.open.clear()
    desk = graced(till.tool())
    engine, socket = engine_of(desk), Socket()
    engine.socket.attach(socket)
    await desk.say(PAY, live=True)
    turn = await desk.open(TurnInput(answers=(verdict(await desk.record()),)))
    await asyncio.wait_for(till.entered.wait(), 60)
    reading = asyncio.create_task(read(turn))
    engine.socket.detach(socket)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not engine.is_closing
    till.open.set()
    assert "tool-output-available" in kinds(await reading), "who answered over HTTP reads it whole"
    await is_over(desk)
    assert till.paid == [5] and await desk.states() == ["done"]


async def test_a_socket_that_comes_back_keeps_the_run() -> None:
    till = Till()
    till.open.clear()
    desk = graced(till.tool(False))
    engine, socket = engine_of(desk), Socket()
    engine.socket.attach(socket)
    turn = await desk.open(message(PAY), live=True)
    await asyncio.wait_for(till.entered.wait(), 60)
    engine.socket.detach(socket)
    for _ in range(5):
        await asyncio.sleep(0)
    engine.socket.attach(socket)
    till.open.set()
    await read(turn)
    assert desk.chats.of("alice", "c").live is engine and not engine.is_closing
    await desk.close()


async def test_patience_ends() -> None:
    till = Till()
    till.open.clear()
    desk = Desk(till.tool(False))
    turn = await desk.open(message(PAY), live=True)
    await asyncio.wait_for(till.entered.wait(), 60)
    await engine_of(desk).close(patience=0)
    assert kinds(await read(turn))[-1] == "finish" and till.paid == []


async def test_a_result_that_never_comes_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "RESULT_SECONDS", 0)
    till = Till()
    desk = Desk(till.tool())
    await desk.say(PAY, live=True)
    engine = engine_of(desk)
    async with desk.chats.of("alice", "c").lock:
        opened = await engine.read()
        assert opened is not None
    engine.link.decided(opened.calls.open()[0].id, State.APPROVED)
    await engine.close()
    assert engine.is_closing


async def test_what_the_link_does_not_take_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_queue, "SEND_SECONDS", 0)
    monkeypatch.setattr(live_queue.LiveQueue, "get", never)
    desk = Desk()
    chunks = await desk.say("hello", live=True)
    assert isinstance(chunks[-1], Error) and "connection to the model" in chunks[-1].error_text
    await is_over(desk)


async def test_a_model_that_ends_the_conversation_fails_the_turn() -> None:
    desk = Desk()
    chunks = await desk.say("/say 1\n/error 500", live=True)
    assert isinstance(chunks[-1], Error)
    await is_over(desk)
    assert said(await desk.say("hello", live=True)), "the next message begins another run"
    await desk.close()


class Unreadable(InMemorySessionService):
    """A store that is away."""

    async def get_session(self, **_: Any) -> None:
        raise OSError("the disk is gone")


async def test_a_run_that_cannot_be_read_opens_no_turn() -> None:
    desk = Desk(sessions=Unreadable())
    with pytest.raises(Unavailable):
        await desk.say("hello", live=True)
    chat = desk.chats.of("alice", "c")
    assert chat.turn is None
    await desk.close()


async def test_an_expired_browser_call_is_told_to_the_model() -> None:
    desk = graced(ClientTool("locate", "Where?", ttl=0.01), grace=60)
    socket = Socket()
    engine_of(desk).socket.attach(socket)
    await desk.say("/call locate {}", live=True)
    await until(lambda: len(socket.own) > 0)
    assert said(await read(socket.own[0])) == "The call of locate expired before it was answered."
    await desk.close()


async def test_an_early_result_is_kept_for_its_approval() -> None:
    desk = Desk(ClientTool("look", "See.", approval=True))
    await desk.say("/call look {}", live=True)
    record = await desk.record()
    early = await desk.answer(result(record.call_id, {"seen": 2}), live=True)
    assert "tool-approval-request" in kinds(early)
    chunks = await desk.answer(verdict(record), live=True)
    assert said(chunks) == 'The call of look returned {"seen": 2}.'
    await desk.close()


async def test_a_turn_of_the_client_ends_where_its_silence_is_stopped() -> None:
    desk = Desk()
    turn = await desk.open(message("/say 1\n/hold silent"), live=True)
    await until(lambda: bool(turn.open_text()))
    assert await desk.chats.stop("alice", "c")
    assert kinds(await read(turn))[-1] == "finish"
    release("silent")
    assert said(await desk.say("hello", live=True)) == "Hello! What can I do for you?"
    await desk.close()
