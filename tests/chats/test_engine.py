"""What a chat needs of an engine: both of them keep the same word, on real runs of ADK."""

from collections.abc import Callable
from typing import Any

import pytest
from google.adk.agents.run_config import RunConfig, StreamingMode

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.chats.chat import Chat
from adk_stream_protocol.chats.engine import Engine
from adk_stream_protocol.chats.request_engine import RequestEngine, RequestSettings
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.errors import Busy
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.testing.holds import release
from adk_stream_protocol.workers.lease import ChatLease
from tests.support.desk import ALICE, Desk, kinds, message, read, result, said, until, verdict
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


def request(desk: Desk, chat: Chat) -> Engine:
    """A new engine for every turn."""
    config = RunConfig(streaming_mode=StreamingMode.SSE)
    return RequestEngine(chat, RequestSettings(desk.runner, config, desk.reader, 600))


def live(desk: Desk, chat: Chat) -> Engine:
    """The same engine while its run goes on."""
    return chat.start_live()


Make = Callable[[Desk, Chat], Engine]
both = pytest.mark.parametrize("make", [request, live])


class Scene:
    """A chat whose engine the test drives, as the chat would."""

    def __init__(self, make: Make, *tools: Any) -> None:
        self.desk = Desk(*tools)
        self.chat = self.desk.chats.of("alice", "c")
        self._make = make

    @property
    def engine(self) -> Engine:
        return self._make(self.desk, self.chat)

    async def say(self, text: str) -> list[AnyChunk]:
        async with self.chat.lock:
            turn = await self.engine.say(message(text), "native")
        return await read(turn)

    async def plan(self, opened: OpenTurn, *answers: Answer) -> Plan:
        return await opened.plan(answers, self.desk.runner.agent)

    async def answer(self, *answers: Answer) -> list[AnyChunk]:
        async with self.chat.lock:
            engine = self.engine
            opened = await engine.read()
            assert opened is not None
            plan = await self.plan(opened, *answers)
            assert engine.made(plan.calls)
            turn = engine.reserve("native")
            await opened.commit(plan, ALICE, live=engine.is_live)
            await engine.answer(turn, opened, plan, TurnInput(message_id="m"), "native")
        return await read(turn)


@both
async def test_a_message_opens_a_turn_that_ends_by_itself(make: Make) -> None:
    scene = Scene(make)
    chunks = await scene.say("hello")
    assert said(chunks) == "Hello! What can I do for you?"
    assert (kinds(chunks)[0], kinds(chunks)[-1]) == ("start", "finish")
    assert scene.chat.turn is None
    await scene.desk.close()


@both
async def test_an_answer_goes_on_with_the_call_that_waits(make: Make) -> None:
    till = Till()
    scene = Scene(make, till.tool())
    assert "tool-approval-request" in kinds(await scene.say(PAY))
    chunks = await scene.answer(verdict(await scene.desk.record()))
    assert till.paid == [5] and "tool-output-available" in kinds(chunks)
    assert said(chunks) == 'The call of pay returned {"paid": 5}.'
    again = await scene.answer(verdict(await scene.desk.record()))
    assert till.paid == [5] and "tool-output-available" in kinds(again), "it is told again"
    await scene.desk.close()


@both
async def test_a_browsers_result_reaches_the_model(make: Make) -> None:
    scene = Scene(make, ClientTool("locate", "Where?"))
    await scene.say("/call locate {}")
    opened = await scene.desk.reader.read(scene.chat)
    assert opened is not None
    (call,) = opened.calls.open()
    chunks = await scene.answer(result(call.id, {"lat": 1}))
    assert said(chunks) == 'The call of locate returned {"lat": 1}.'
    await scene.desk.close()


@both
async def test_a_message_cancels_what_is_open(make: Make) -> None:
    scene = Scene(make, Till().tool())
    await scene.say(PAY)
    assert said(await scene.say("hello"))
    assert await scene.desk.states() == ["cancelled"]
    await scene.desk.close()


@both
async def test_answers_that_are_refused_leave_no_turn_behind(make: Make) -> None:
    scene = Scene(make, Till().tool())
    await scene.say(PAY)
    engine = scene.engine
    opened = await engine.read()
    assert opened is not None
    turn = engine.reserve("native")
    assert scene.chat.turn is turn
    engine.abandon()
    assert scene.chat.turn is None and turn.ended
    scene.engine.abandon()
    chunks = await scene.answer(verdict(await scene.desk.record()))
    assert "tool-output-available" in kinds(chunks)
    await scene.desk.close()


@both
async def test_a_second_message_is_refused_while_a_turn_runs(make: Make) -> None:
    scene = Scene(make)
    turn = await scene.engine.say(message(f"/hold {make.__name__}"), "native")
    with pytest.raises(Busy):
        await scene.engine.say(message("hello"), "native")
    release(make.__name__)
    await read(turn)
    await scene.desk.close()


@both
async def test_a_chat_that_another_worker_runs_is_refused_and_free_again(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(make)

    async def refuse(lease: ChatLease, **options: bool) -> None:
        raise Busy("A turn is already running in this chat.")

    with monkeypatch.context() as patched:
        patched.setattr(ChatLease, "acquire", refuse)
        with pytest.raises(Busy):
            await scene.engine.say(message("hello"), "native")
        assert scene.chat.turn is None
    assert said(await scene.say("hello"))
    await scene.desk.close()


async def test_the_live_engine_knows_its_own_calls_and_a_request_takes_all() -> None:
    till = Till()
    scene = Scene(live, till.tool())
    assert await scene.engine.read() is None, "nothing was said in this run yet"
    await scene.say(PAY)
    first = scene.engine
    opened = await first.read()
    assert opened is not None and first.made(opened.calls.open())
    await scene.desk.chats.end("alice", "c")
    await until(lambda: scene.chat.live is None)
    parked = await scene.desk.reader.read(scene.chat)
    assert parked is not None
    assert not scene.engine.made(parked.calls.open()), "they are of another run"
    assert request(scene.desk, scene.chat).made(parked.calls.open())
    await scene.desk.close()
