"""The chats of one agent: found or made, bounded, and run on one of several workers."""

import asyncio
import gc
from typing import Any

import pytest
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from adk_stream_protocol import MemoryApprovalStore
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats import chats as module
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.errors import Busy, Relayed, TooMany, Unavailable, UnknownId
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.testing.holds import release
from adk_stream_protocol.workers import messages
from tests.support.desk import ALICE, Desk, kinds, message, read, result, said, until, verdict
from tests.support.switchboard import Switchboard
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


def id_of(chat: str = "c") -> ChatId:
    return ChatId("clerk", "alice", chat)


async def test_a_chat_is_one_object_while_anybody_uses_it() -> None:
    desk = Desk()
    chat = desk.chats.of("alice", "c")
    assert desk.chats.get("alice", "c") is chat is desk.chats.of("alice", "c")
    assert desk.chats.get("bob", "c") is None
    del chat
    gc.collect()
    assert desk.chats.get("alice", "c") is None
    await desk.close()


async def test_a_running_chat_is_kept_without_anybody() -> None:
    desk = Desk()
    turn = await desk.open(message("/hold kept"))
    gc.collect()
    assert desk.chats.running("alice", "c") is turn
    release("kept")
    await read(turn)
    assert desk.chats.running("alice", "c") is None
    await desk.close()


async def test_a_user_has_so_many_turns_at_once() -> None:
    desk = Desk(limits=Limits(turns_per_user=2))
    turns = [await desk.open(message("/hold bounded"), chat=name) for name in "ab"]
    with pytest.raises(TooMany):
        await desk.open(message("hello"), chat="c")
    assert desk.chats.running("alice", "c") is None
    release("bounded")
    for turn in turns:
        await read(turn)
    assert said(await desk.say("hello"))
    await desk.close()


async def test_a_user_has_so_many_live_chats() -> None:
    desk = Desk(limits=Limits(live_chats_per_user=1))
    await desk.say("hello", live=True, chat="a")
    with pytest.raises(TooMany, match="live chats"):
        await desk.say("hello", live=True, chat="b")
    assert said(await desk.say("hello", live=True, chat="a")), "it is the same one"
    await desk.chats.end("alice", "a")
    assert said(await desk.say("hello", live=True, chat="b"))
    await desk.close()


async def test_a_server_that_goes_down_opens_nothing() -> None:
    desk = Desk()
    await desk.close()
    with pytest.raises(Unavailable, match="shutting down"):
        await desk.open(message("hello"))


async def test_closing_lets_a_tool_finish_and_ends_the_rest() -> None:
    till = Till()
    till.open.clear()
    desk = Desk(till.tool(False))
    paying = await desk.open(message(PAY), chat="a")
    waiting = await desk.open(message("/hold never"), chat="b")
    live = await desk.open(message("/hold never"), chat="live", live=True)
    await asyncio.wait_for(till.entered.wait(), 60)
    readers = [asyncio.create_task(read(turn)) for turn in (paying, waiting, live)]
    closing = asyncio.create_task(desk.close())
    await until(lambda: desk.chats.is_closing)
    till.open.set()
    await closing
    assert till.paid == [5]
    assert [kinds(await one)[-1] for one in readers] == ["finish"] * 3
    await desk.close()


async def test_closing_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLOSE_SECONDS", "READ_SECONDS", "MESSAGE_SECONDS"):
        monkeypatch.setattr(module, name, 0)
    till = Till()
    till.open.clear()
    desk = Desk(till.tool(False))
    turn = await desk.open(message(PAY))
    await asyncio.wait_for(till.entered.wait(), 60)
    reader = turn.reader()
    await desk.close()
    await until(lambda: turn.ended)
    assert till.paid == []
    reader.close()


async def test_what_it_is_made_of_is_named() -> None:
    desk = Desk()
    await desk.chats.start()
    assert desk.chats.session_store == "InMemorySessionService"
    assert desk.chats.approval_store == "MemoryApprovalStore"
    assert desk.chats.app_name == "clerk"
    await desk.close()


async def test_only_a_whole_turn_can_be_read_again() -> None:
    desk = Desk()
    assert await desk.chats.readable("alice", "c") is None
    turn = await desk.open(message("/hold whole"))
    assert await desk.chats.readable("alice", "c") is turn
    turn.detach()
    assert await desk.chats.readable("alice", "c") is None
    release("whole")
    await until(lambda: turn.ended)
    await desk.close()


async def test_where_a_call_runs_or_waits_is_known() -> None:
    till = Till()
    till.open.clear()
    desk = Desk(till.tool())
    await desk.say(PAY, live=True)
    record = await desk.record()
    assert desk.chats.waits_here(record) and not desk.chats.is_running(record)
    turn = await desk.open(TurnInput(answers=(verdict(record),)))
    await asyncio.wait_for(till.entered.wait(), 60)
    assert desk.chats.is_running(record) and not desk.chats.waits_here(record)
    till.open.set()
    await read(turn)
    assert not desk.chats.is_running(record)
    await desk.close()
    other = Desk()
    assert not other.chats.is_running(record) and not other.chats.waits_here(record)
    await other.close()


class Workers:
    """Two workers of one application: the same stores, and a relay between them."""

    def __init__(self, *tools: Any) -> None:
        self.board = Switchboard()
        sessions, store = InMemorySessionService(), MemoryApprovalStore()
        lines = self.board.line(), self.board.line()
        self.one, self.two = (
            Desk(*tools, sessions=sessions, store=store, relay=line) for line in lines
        )
        self.first, self.second = lines

    async def close(self) -> None:
        await self.one.close()
        await self.two.close()


async def test_a_turn_of_another_worker_is_read_and_stopped() -> None:
    workers = Workers()
    turn = await workers.one.open(message("/say 3\n/hold elsewhere"))
    there = await workers.two.chats.readable("alice", "c")
    assert there is not None and there is not turn
    assert await workers.two.chats.message_in_the_making("alice", "c") == turn.message_id
    with pytest.raises(Busy):
        await workers.two.open(message("hello"))
    assert await workers.two.chats.stop("alice", "c")
    here, copied = await read(turn), await read(there)
    assert here == copied and kinds(here)[-1] == "finish"
    assert not await workers.two.chats.stop("alice", "c")
    assert await workers.two.chats.message_in_the_making("alice", "c") is None
    assert workers.board.holders == {}, "an idle chat is free for every worker"
    await workers.close()


async def test_answers_go_to_the_live_run_that_waits_for_them() -> None:
    till = Till()
    workers = Workers(till.tool())
    await workers.one.say(PAY, live=True)
    record = await workers.two.record()
    assert workers.one.chats.waits_here(record)
    chunks = await workers.two.answer(verdict(record))
    assert till.paid == [5] and "tool-output-available" in kinds(chunks)
    with pytest.raises(Relayed) as raised:
        await workers.two.answer(verdict(record, approved=False))
    assert raised.value.code == "conflict"
    await workers.close()


async def test_a_decision_on_one_worker_wakes_the_call_on_another() -> None:
    till = Till()
    workers = Workers(till.tool())
    await workers.one.say(PAY, live=True)
    record = await workers.two.record()
    await workers.two.book.decide(record, ALICE, True, None)
    await until(lambda: till.paid == [5])
    assert messages.Wake(id_of(), record.id) in workers.first.heard
    await workers.close()


async def test_an_idle_live_run_leaves_its_chat_to_another_worker() -> None:
    workers = Workers()
    await workers.one.say("hello", live=True)
    assert workers.board.holders == {id_of(): workers.first}
    assert said(await workers.two.say("hello", live=True))
    assert workers.board.holders == {id_of(): workers.second}
    assert workers.one.chats.of("alice", "c").live is None
    await workers.two.chats.end("alice", "c")
    await workers.close()


async def test_signing_out_on_one_worker_ends_all_on_the_other() -> None:
    workers = Workers()
    heard: list[str] = []
    workers.one.chats.on_sign_out(heard.append)
    turn = await workers.one.open(message("/say 3\n/hold for-ever"))
    await workers.two.chats.sign_out("bob")
    assert not turn.ended
    await workers.two.chats.sign_out(ALICE)
    await until(lambda: turn.ended)
    assert heard == ["bob", "alice"] and kinds(await read(turn))[-1] == "finish"
    await until(lambda: workers.board.holders == {})
    await workers.close()


async def test_ending_a_chat_ends_it_on_another_worker() -> None:
    workers = Workers()
    await workers.one.say("hello", live=True)
    await workers.two.chats.end("alice", "c")
    assert workers.board.holders == {}
    await workers.close()


async def test_a_chat_that_nobody_runs_goes_on_where_it_was_decided() -> None:
    till = Till()
    workers = Workers(till.tool())
    await workers.one.say(PAY)
    await workers.two.book.decide(await workers.two.record(), ALICE, True, None)
    await workers.two.chats.go_on("alice", "c")
    await until(lambda: workers.two.chats.running("alice", "c") is None)
    assert till.paid == [5] and workers.second.asked == [], "nobody held it"
    await workers.close()


async def test_another_worker_is_asked_to_go_on_while_it_runs_the_chat() -> None:
    till = Till()
    workers = Workers(till.tool())
    await workers.one.say(PAY, live=True)
    await workers.two.chats.go_on("alice", "c")
    assert workers.second.asked == [messages.Continue(id_of())]
    assert workers.two.chats.running("alice", "c") is None
    await workers.close()


async def test_a_relay_that_is_away_leaves_this_worker_on_its_own() -> None:
    workers = Workers()
    workers.board.is_away = True
    assert await workers.one.chats.message_in_the_making("alice", "c") == ""
    with pytest.raises(UnknownId):
        await workers.one.answer(result("call-1", {}))
    assert said(await workers.one.say("hello"))
    await workers.close()


REPLIES: list[tuple[messages.Message, messages.Reply | None]] = [
    (messages.Stop(id_of()), messages.Done(False)),
    (messages.End(id_of()), messages.Done(True)),
    (messages.Leave(id_of(), True), messages.Done(True)),
    (messages.AskActivity(id_of()), messages.Activity(None)),
    (messages.GiveAnswers(id_of(), ALICE, (), None, "native"), messages.Opened(None)),
    (messages.Wake(id_of(), "a"), None),
]


@pytest.mark.parametrize(
    ("asked", "reply"), REPLIES, ids=[type(asked).__name__ for asked, _ in REPLIES]
)
async def test_what_is_replied_about_an_idle_chat(
    asked: messages.Message, reply: messages.Reply | None
) -> None:
    desk = Desk()
    assert await desk.chats.handle(asked) == reply
    await desk.close()


async def test_what_cannot_be_done_is_replied_as_a_refusal() -> None:
    workers = Workers(Till().tool())
    await workers.one.say(PAY)
    record = await workers.one.record()
    await workers.one.book.decide(record, ALICE, True, None)
    await workers.one.close()
    reply = await workers.one.chats.handle(messages.Continue(id_of()))
    assert isinstance(reply, messages.Refused) and reply.code == "unavailable"
    found = await workers.one.store.get(record.id)
    assert found is not None and found.state is State.APPROVED
    await workers.two.close()
