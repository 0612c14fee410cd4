"""The lease of a chat, on a relay that the test plays."""

import asyncio

import pytest

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Busy, Unavailable
from adk_stream_protocol.workers.lease import ChatLease
from adk_stream_protocol.workers.messages import Done, Leave, Reply, Request
from adk_stream_protocol.workers.relay import Lease, LocalRelay

CHAT = ChatId("app", "ann", "c")


class OtherWorker(LocalRelay):
    """A relay with one other worker, who holds the chat at first."""

    def __init__(self) -> None:
        self.holds = True
        self.reply: Reply | None = None
        self.is_away = False
        self.leaves_unasked = False
        """The holder releases the chat between the claim and the request."""
        self.asked: list[Request] = []
        self.released = asyncio.get_running_loop().create_future()

    async def claim(self, chat: ChatId) -> Lease | None:
        return None if self.holds else Lease(chat)

    async def request(self, message: Request) -> Reply | None:
        self.asked.append(message)
        if self.is_away:
            raise Unavailable("Redis is away.")
        if self.leaves_unasked or self.reply == Done(True):
            self.holds = False
        return self.reply

    def release(self, lease: Lease, log: str | None = None) -> asyncio.Future[None]:
        return self.released


@pytest.fixture
async def other() -> OtherWorker:
    return OtherWorker()


@pytest.mark.parametrize("for_socket", [True, False])
async def test_a_chat_that_its_holder_leaves_is_acquired(
    other: OtherWorker, for_socket: bool
) -> None:
    other.reply = Done(True)
    lease = ChatLease(CHAT, other)
    await lease.acquire(for_socket=for_socket)
    assert lease.is_held and lease.is_exclusive
    assert other.asked == [Leave(CHAT, for_socket)]
    await lease.acquire()
    assert len(other.asked) == 1, "it is held already"


async def test_a_chat_that_comes_free_while_its_holder_is_asked_is_acquired(
    other: OtherWorker,
) -> None:
    other.leaves_unasked = True
    lease = ChatLease(CHAT, other)
    await lease.acquire()
    assert lease.is_held


@pytest.mark.parametrize("reply", [None, Done(False)], ids=["silent", "busy"])
async def test_a_chat_that_is_held_is_busy(other: OtherWorker, reply: Reply | None) -> None:
    other.reply = reply
    lease = ChatLease(CHAT, other)
    with pytest.raises(Busy):
        await lease.acquire()
    assert not lease.is_held


async def test_a_holder_that_cannot_be_asked_keeps_the_chat(other: OtherWorker) -> None:
    other.is_away = True
    with pytest.raises(Busy):
        await ChatLease(CHAT, other).acquire()


async def test_a_polite_worker_does_not_ask(other: OtherWorker) -> None:
    with pytest.raises(Busy):
        await ChatLease(CHAT, other).acquire(politely=True)
    assert other.asked == []


async def test_a_chat_is_not_acquired_again_before_it_is_released(other: OtherWorker) -> None:
    other.holds = False
    lease = ChatLease(CHAT, other)
    assert lease.release() is None, "there is nothing to release"
    await lease.acquire()
    assert lease.release() is other.released and not lease.is_held
    again = asyncio.create_task(lease.acquire())
    await asyncio.sleep(0)
    assert not again.done()
    other.released.set_result(None)
    await again
    assert lease.is_held
