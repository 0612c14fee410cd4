"""The relay of a worker that is alone: every call is answered, and none finds anybody."""

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.workers.messages import Message, Stop, Wake
from adk_stream_protocol.workers.relay import Lease, LocalRelay, Peer

CHAT = ChatId("app", "alice", "c")


async def never(message: Message) -> None:
    raise AssertionError(f"nobody sends {message}")


async def test_a_worker_that_is_alone_may_run_every_chat() -> None:
    relay = LocalRelay()
    relay.join(Peer("app", "one", never, lambda name: False))
    await relay.listen()
    lease, again = await relay.claim(CHAT), await relay.claim(CHAT)
    assert lease and again and not lease.granted, "no other worker has agreed to it"
    assert relay.release(lease) is None, "there is nothing to wait for"
    await relay.close()


async def test_a_worker_that_is_alone_finds_no_other() -> None:
    relay = LocalRelay()
    assert relay.new_log() == ""
    assert await relay.follow(CHAT) is None
    assert await relay.request(Stop(CHAT)) is None
    await relay.broadcast(Wake(CHAT, "a1"))


def test_every_lease_has_a_name_of_its_own() -> None:
    assert Lease(CHAT).id != Lease(CHAT).id
