"""Two workers on one real Redis: leases and talk, also while Redis goes away."""

import asyncio
import logging
from pathlib import Path

import pytest

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.workers.messages import Done, Message, Reply, Stop, Wake
from adk_stream_protocol.workers.redis import messaging as redis_talk
from adk_stream_protocol.workers.redis.relay import RedisRelay
from adk_stream_protocol.workers.relay import Lease
from tests.support.databases.redis import RedisServer
from tests.support.relayed_turn import CHAT, found, relay_of, within

pytestmark = pytest.mark.processes

HOUR = 3600.0

Pair = tuple[RedisRelay, RedisRelay]


async def claimed(relay: RedisRelay) -> Lease:
    """Wait for a lease that comes free."""
    return await found(lambda: relay.claim(CHAT))


async def test_one_worker_at_a_time_has_a_chat(pair: Pair) -> None:
    one, two = pair
    lease = await one.claim(CHAT)
    assert lease and lease.granted
    assert await two.claim(CHAT) is None and await one.claim(CHAT) is None
    other = await two.claim(ChatId("app", "al", "ice:c/1"))
    assert other, "ids with separators in them are chats of their own"
    await one.release(lease)
    again = await two.claim(CHAT)
    assert again
    await one.release(lease)  # given back long ago: it takes nothing away
    assert await one.claim(CHAT) is None
    await two.release(again)
    await two.release(other)


async def test_applications_do_not_meet(pair: Pair, redis: RedisServer) -> None:
    lease = await pair[0].claim(CHAT)
    other = relay_of(redis.url, app="another")
    assert lease and await other.claim(CHAT)
    await other.close()
    await pair[0].release(lease)


async def test_a_lease_outlives_its_time_while_its_worker_lives(redis: RedisServer) -> None:
    one, two = (relay_of(redis.url, lease_seconds=2) for _ in range(2))
    await one.listen()
    lease = await one.claim(CHAT)
    for _ in range(10):
        await asyncio.sleep(0.5)
        assert await two.claim(CHAT) is None
    one._tasks.cancel()  # pyright: ignore[reportPrivateUsage]  # the worker dies
    taken = await claimed(two)
    assert lease and taken.id != lease.id
    await two.release(taken)
    await one.close()
    await two.close()


async def test_a_lease_of_a_dead_process_is_taken_at_once(redis: RedisServer) -> None:
    one, two, three = (
        relay_of(redis.url, process=name, dead=("one",)) for name in ("one", "two", "three")
    )
    assert await one.claim(CHAT)
    assert await two.claim(CHAT)
    assert await three.claim(CHAT) is None, "its new holder lives"
    for relay in (one, two, three):
        await relay.close()


async def test_a_worker_that_stalled_does_not_take_its_chat_back(redis: RedisServer) -> None:
    one, two = relay_of(redis.url, lease_seconds=0.2), relay_of(redis.url, process="two")
    assert await one.claim(CHAT)  # it does not listen, and so keeps nothing alive
    lease = await claimed(two)
    await one.listen()
    for _ in range(5):
        await asyncio.sleep(0.05)
        assert await one.claim(CHAT) is None
    await two.release(lease)
    await one.close()
    await two.close()


async def test_workers_talk(redis: RedisServer) -> None:
    heard: asyncio.Queue[Message] = asyncio.Queue()

    async def hear(message: Message) -> Reply | None:
        heard.put_nowait(message)
        return Done(True) if isinstance(message, Stop) else None

    one, two = relay_of(redis.url), relay_of(redis.url, hear, process="two")
    await one.listen()
    await two.listen()
    await one.broadcast(Wake(CHAT, "a1"))
    assert await within(heard.get()) == Wake(CHAT, "a1")
    assert await one.request(Stop(CHAT)) is None, "nobody holds it"
    lease = await two.claim(CHAT)
    assert lease and await within(one.request(Stop(CHAT))) == Done(True)
    assert await within(two.request(Stop(CHAT))) is None, "it need not ask itself"
    await one.close()
    await two.close()


async def test_a_worker_that_is_deaf_or_dead_is_not_waited_for(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_talk, "ANSWER_SECONDS", HOUR)
    deaf, one = relay_of(redis.url, process="two"), relay_of(redis.url)
    wise = relay_of(redis.url, process="three", dead=("two",))
    await one.listen()
    await wise.listen()
    assert await deaf.claim(CHAT)
    assert await within(one.request(Stop(CHAT))) is None
    assert await within(wise.request(Stop(CHAT))) is None
    for relay in (deaf, one, wise):
        await relay.close()


async def test_a_worker_that_dies_before_it_answers_is_not_waited_for(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead: set[str] = set()

    async def die(message: Message) -> None:
        dead.add("two")

    monkeypatch.setattr(redis_talk, "ANSWER_SECONDS", HOUR)
    one, two = relay_of(redis.url, dead=dead), relay_of(redis.url, die, process="two")
    await one.listen()
    await two.listen()
    assert await two.claim(CHAT)
    assert await within(one.request(Stop(CHAT))) is None
    assert dead
    await one.close()
    await two.close()


async def test_a_question_that_fails_is_not_waited_for_for_ever(
    redis: RedisServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(message: Message) -> Reply | None:
        raise ValueError("no")

    caplog.set_level(logging.CRITICAL)
    monkeypatch.setattr(redis_talk, "ANSWER_SECONDS", 0.2)
    one, two = relay_of(redis.url), relay_of(redis.url, fail, process="two")
    await one.listen()
    await two.listen()
    assert await two.claim(CHAT)
    assert await within(one.request(Stop(CHAT))) is None
    await one.close()
    await two.close()


async def test_leases_and_talk_come_back_with_redis(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def hear(message: Message) -> Reply | None:
        return Done(True)

    caplog.set_level(logging.CRITICAL)
    server = RedisServer(tmp_path).start()
    one, two = relay_of(server.url), relay_of(server.url, hear, process="two")
    await one.listen()
    await two.listen()
    assert await two.claim(ChatId("app", "bob", "before"))
    server.kill()
    lease = await two.claim(CHAT)
    assert lease and not lease.granted, "a chat goes on without it"
    with pytest.raises(Unavailable):
        await one.request(Stop(CHAT))
    server.start()
    assert await found(lambda: one.request(Stop(CHAT))) == Done(True)
    assert await one.claim(CHAT) is None
    assert await one.claim(ChatId("app", "bob", "before")) is None
    await one.close()
    await two.close()
    server.kill()


async def test_a_worker_that_closes_waits_for_no_call_that_missed_it(redis: RedisServer) -> None:
    """Cancelled at every moment of a call, the loop around it ends."""
    relay = relay_of(redis.url)

    async def claim_for_ever() -> None:
        while True:
            await relay.claim(CHAT)

    for rounds in range(200):
        task = asyncio.create_task(claim_for_ever())
        for _ in range(rounds % 40):
            await asyncio.sleep(0)
        task.cancel()
        ended, _ = await asyncio.wait({task}, timeout=60)
        assert ended, f"it runs on after {rounds % 40} rounds"
    await relay.close()
