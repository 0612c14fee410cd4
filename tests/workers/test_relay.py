"""The relay of a worker that is alone: nothing to share, and nobody to ask."""

from adk_stream_protocol.workers.relay import Lease, LocalRelay, Peer

CHAT = ("alice", "c")


async def nothing(kind: str, body: dict[str, object]) -> None:
    return None


async def test_alone_every_claim_is_right_and_none_is_exclusive() -> None:
    relay = LocalRelay()
    relay.join(Peer("shop", "one", nothing, lambda process: False))
    await relay.listen()
    first, second = await relay.claim(CHAT), await relay.claim(CHAT)
    assert first and second and first.chat == CHAT
    assert not first.granted and first.id != second.id
    await relay.release(first)
    await relay.close()


async def test_alone_nobody_follows_hears_or_answers() -> None:
    relay = LocalRelay()
    assert relay.new_log() == ""
    assert await relay.follow(CHAT) is None
    assert await relay.ask(CHAT, "stop", {}) is None
    await relay.tell("decided", {})


def test_a_lease_is_exclusive_unless_nobody_could_be_asked() -> None:
    assert Lease(CHAT).granted
    assert Lease(CHAT).id != Lease(CHAT).id
