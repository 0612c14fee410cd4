"""The relay of a worker that is alone: nothing to share, and nobody to ask."""

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.workers.messages import Message, Stop, Wake
from adk_stream_protocol.workers.relay import Lease, LocalRelay, Peer

CHAT = ChatId("shop", "alice", "c")


async def nothing(message: Message) -> None:
    return None


async def test_alone_every_claim_is_right_and_none_is_exclusive() -> None:
    relay = LocalRelay()
    relay.join(Peer("shop", "one", nothing, lambda process: False))
    await relay.listen()
    first, second = await relay.claim(CHAT), await relay.claim(CHAT)
    assert first and second and first.chat == CHAT and not first.granted
    assert relay.release(first) is None
    await relay.close()


async def test_alone_nobody_follows_hears_or_answers() -> None:
    relay = LocalRelay()
    assert relay.new_log() == ""
    assert await relay.follow(CHAT) is None
    assert await relay.request(Stop(CHAT)) is None
    await relay.broadcast(Wake(CHAT, "a"))


def test_a_lease_is_exclusive_unless_nobody_could_be_asked() -> None:
    assert Lease(CHAT).granted
    assert Lease(CHAT).id != Lease(CHAT).id
