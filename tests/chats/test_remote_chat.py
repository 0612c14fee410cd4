"""A chat that another worker runs: every verb is a message, and every reply has its meaning."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.remote_chat import RemoteChat
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.errors import Relayed, Unavailable
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta
from adk_stream_protocol.workers.messages import (
    Activity,
    AskActivity,
    Continue,
    Done,
    End,
    GiveAnswers,
    Opened,
    Refused,
    Reply,
    Request,
    Stop,
)
from adk_stream_protocol.workers.relay import Followed, LocalRelay
from tests.support.desk import read

CHAT = ChatId("app", "alice", "c")
ALICE = Principal("alice", frozenset({"boss"}))
ANSWERED = TurnInput(answers=(Answer(("call-1",), "$", approved=True),), message_id="m")
BEFORE: list[AnyChunk] = [TextDelta(id="8", delta="before")]


def deltas(*texts: str) -> list[AnyChunk]:
    return [TextDelta(id="0", delta=text) for text in texts]


class Holder(LocalRelay):
    """The worker that holds the chat, as the test plays it."""

    def __init__(self, reply: Reply | None, *, is_away: bool = False) -> None:
        self.reply = reply
        self.is_away = is_away
        self.asked: list[Request] = []
        self.logs: dict[str | None, list[list[AnyChunk]]] = {}

    async def request(self, message: Request) -> Reply | None:
        self.asked.append(message)
        if self.is_away:
            raise Unavailable("Redis is away.")
        return self.reply

    async def follow(self, chat: ChatId, log: str | None = None) -> Followed | None:
        assert chat == CHAT
        found = self.logs.get(log)
        return None if found is None else (self._batches(found), BEFORE)

    async def _batches(self, batches: list[list[AnyChunk]]) -> AsyncIterator[list[AnyChunk]]:
        for batch in batches:
            await asyncio.sleep(0)
            yield batch


def remote(holder: Holder) -> RemoteChat:
    return RemoteChat(CHAT, holder, BackgroundTasks())


async def test_answers_are_sent_whole_and_their_turn_is_read() -> None:
    holder = Holder(Opened("log-1"))
    holder.logs["log-1"] = [deltas("start"), deltas("a", "b")]
    turn = await remote(holder).open_turn(ALICE, ANSWERED, "adk-tool")
    assert holder.asked == [GiveAnswers(CHAT, ALICE, ANSWERED.answers, "m", "adk-tool")]
    assert turn is not None and turn.chat_id == CHAT and turn.message_prefix() == BEFORE
    assert await read(turn) == deltas("start", "a", "b")


async def test_answers_that_were_taken_but_cannot_be_read_say_so() -> None:
    with pytest.raises(Unavailable, match="Your answer was received"):
        await remote(Holder(Opened("lost"))).open_turn(ALICE, ANSWERED, "native")


@pytest.mark.parametrize(
    "holder",
    [Holder(None), Holder(Opened(None)), Holder(Done(True)), Holder(None, is_away=True)],
    ids=["nobody", "no live run", "nonsense", "away"],
)
async def test_answers_that_no_live_run_takes_are_left_to_this_worker(holder: Holder) -> None:
    assert await remote(holder).open_turn(ALICE, ANSWERED, "native") is None


async def test_a_refusal_is_raised_as_it_was_over_there() -> None:
    with pytest.raises(Relayed) as raised:
        await remote(Holder(Refused(409, "conflict", "It is decided."))).open_turn(
            ALICE, ANSWERED, "native"
        )
    error = raised.value
    assert (error.status, error.code, error.text) == (409, "conflict", "It is decided.")


async def test_a_running_turn_is_read_without_its_name() -> None:
    holder = Holder(None)
    assert await remote(holder).read() is None
    holder.logs[None] = [deltas("a")]
    turn = await remote(holder).read()
    assert turn is not None and await read(turn) == deltas("a") and turn.ended


Verb = Callable[[RemoteChat], Awaitable[object]]
STOP: Verb = RemoteChat.stop
GO_ON: Verb = RemoteChat.go_on
ASK: Verb = RemoteChat.message_in_the_making
END: Verb = RemoteChat.end


@pytest.mark.parametrize(
    ("verb", "reply", "sent", "outcome"),
    [
        (STOP, Done(True), Stop(CHAT), True),
        (STOP, Done(False), Stop(CHAT), False),
        (STOP, None, Stop(CHAT), False),
        (END, Done(True), End(CHAT), None),
        (GO_ON, Done(True), Continue(CHAT), True),
        (GO_ON, Refused(503, "unavailable", "Later."), Continue(CHAT), True),
        (GO_ON, None, Continue(CHAT), False),
        (ASK, Activity("m1"), AskActivity(CHAT), "m1"),
        (ASK, Activity(""), AskActivity(CHAT), ""),
        (ASK, Activity(None), AskActivity(CHAT), None),
        (ASK, None, AskActivity(CHAT), None),
    ],
)
async def test_what_a_reply_means(
    verb: Verb, reply: Reply | None, sent: Request, outcome: object
) -> None:
    holder = Holder(reply)
    assert await verb(remote(holder)) == outcome
    assert holder.asked == [sent]


@pytest.mark.parametrize("verb", [STOP, END])
async def test_nothing_is_said_to_be_stopped_that_cannot_be_reached(verb: Verb) -> None:
    with pytest.raises(Unavailable):
        await verb(remote(Holder(None, is_away=True)))


async def test_while_nobody_can_be_asked_something_may_go_on() -> None:
    chat = remote(Holder(None, is_away=True))
    assert await chat.message_in_the_making() == ""
    assert not await chat.go_on()
