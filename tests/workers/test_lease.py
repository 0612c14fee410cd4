"""ChatLease: acquired before a chat is run, released before anybody hears of its end."""

import asyncio

import pytest

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Busy, Unavailable
from adk_stream_protocol.workers.lease import ChatLease
from adk_stream_protocol.workers.messages import Done, Leave, Reply, Request
from adk_stream_protocol.workers.relay import Lease, LocalRelay

CHAT = ChatId("shop", "alice", "c")


class Rival(LocalRelay):
    """Another worker that holds the chat, and leaves it if it is asked and does not mind."""

    def __init__(self, reply: Reply | Unavailable | None = None) -> None:
        self.holds = True
        self.reply = reply
        self.asked: list[Request] = []
        self.releasing: asyncio.Future[None] | None = None

    async def claim(self, chat: ChatId) -> Lease | None:
        return None if self.holds else Lease(chat)

    async def request(self, message: Request) -> Reply | None:
        self.asked.append(message)
        if isinstance(self.reply, Unavailable):
            raise self.reply
        self.holds = self.reply != Done(True)
        return self.reply

    def begin_release(self) -> asyncio.Future[None]:
        self.releasing = asyncio.get_running_loop().create_future()
        return self.releasing


class Slow(Rival):
    """Takes its time to release a lease."""

    def release(self, lease: Lease, log: str | None = None) -> asyncio.Future[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.begin_release()


async def test_alone_a_chat_is_held_and_not_exclusive() -> None:
    lease = ChatLease(CHAT, LocalRelay())
    assert not lease.is_held
    await lease.acquire()
    await lease.acquire()
    assert lease.is_held and not lease.is_exclusive
    assert lease.release() is None
    await lease.released()
    assert not lease.is_held


@pytest.mark.parametrize("for_socket", [False, True])
async def test_an_idle_run_elsewhere_leaves_the_chat(for_socket: bool) -> None:
    rival = Rival(Done(True))
    lease = ChatLease(CHAT, rival)
    await lease.acquire(for_socket=for_socket)
    assert rival.asked == [Leave(CHAT, for_socket)]
    assert lease.is_held and lease.is_exclusive


@pytest.mark.parametrize("reply", [Done(False), None, Unavailable("away")])
async def test_a_chat_that_runs_elsewhere_is_busy(reply: Reply | Unavailable | None) -> None:
    lease = ChatLease(CHAT, Rival(reply))
    with pytest.raises(Busy):
        await lease.acquire()
    assert not lease.is_held and not lease.is_exclusive


async def test_who_is_polite_asks_nobody_to_leave() -> None:
    rival = Rival(Done(True))
    with pytest.raises(Busy):
        await ChatLease(CHAT, rival).acquire(politely=True)
    assert rival.asked == []


async def test_a_chat_is_not_acquired_again_before_it_is_released() -> None:
    relay = Slow()
    relay.holds = False
    lease = ChatLease(CHAT, relay)
    await lease.acquire()
    releasing = lease.release()
    assert releasing and not lease.is_held
    again = asyncio.create_task(lease.acquire())
    await asyncio.sleep(0)
    assert not again.done()
    releasing.set_result(None)
    await asyncio.wait_for(again, 60)
    assert lease.is_held
