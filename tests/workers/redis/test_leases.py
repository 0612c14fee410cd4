"""What a worker gives back stays given back, in whatever order Redis gets the calls."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from hashlib import sha1
from typing import Any

import pytest
from redis.asyncio import Redis

from adk_stream_protocol.workers.redis import leases, turn_logs
from adk_stream_protocol.workers.redis.leases import HeldKeys
from tests.support.databases.redis import RedisServer
from tests.support.redis_proxy import RedisProxy
from tests.support.relayed_turn import CHAT, Source, found, raw, relay_of, within

MINE, THEIRS = "one/1/a", "two/2/b"


def call_of(script: str) -> bytes:
    """What a call of a script is known by."""
    return sha1(script.encode()).hexdigest().encode()


@pytest.fixture
async def proxy(redis: RedisServer) -> AsyncGenerator[RedisProxy]:
    async with RedisProxy.before(redis.url) as proxy:
        yield proxy


@pytest.fixture
async def slow(proxy: RedisProxy, key: str) -> AsyncGenerator[HeldKeys]:
    """The keys of a worker whose calls the test holds back. Redis knows all its scripts."""
    client = Redis.from_url(proxy.url)
    keys = HeldKeys(client, 15_000)
    keys.hold(key, MINE)
    await keys.keep()
    await keys.drop({key: MINE})
    await keys.claim(key, THEIRS, "")
    await keys.show(key, MINE)
    await keys.forget(key, MINE)
    yield keys
    await client.aclose(close_connection_pool=True)


@pytest.fixture
async def other(redis: RedisServer) -> AsyncGenerator[HeldKeys]:
    client = Redis.from_url(redis.url)
    yield HeldKeys(client, 15_000)
    await client.aclose(close_connection_pool=True)


@pytest.fixture
def key(request: pytest.FixtureRequest) -> str:
    return request.node.name


async def test_a_keep_that_comes_late_keeps_nothing(
    slow: HeldKeys, other: HeldKeys, proxy: RedisProxy, key: str
) -> None:
    await slow.claim(key, MINE, "")
    slow.hold(key, MINE)
    proxy.hold(call_of(leases.KEEP))
    keeping = asyncio.create_task(slow.keep())
    await proxy.arrived()
    await slow.drop({key: MINE})
    proxy.let_go()
    await within(keeping)
    assert await other.read(key) == ""
    assert await other.claim(key, THEIRS, "") is None, "it is free"
    assert await slow.claim(key, MINE, "") == THEIRS


async def test_a_claim_that_comes_late_takes_nothing(
    slow: HeldKeys, other: HeldKeys, proxy: RedisProxy, key: str
) -> None:
    proxy.hold(call_of(leases.CLAIM))
    claiming = asyncio.create_task(slow.claim(key, MINE, ""))
    await proxy.arrived()
    await slow.drop({key: MINE})
    proxy.let_go()
    assert await within(claiming)
    assert await other.claim(key, THEIRS, "") is None, "it is free"


async def test_a_key_that_is_shown_late_does_not_show(
    slow: HeldKeys, other: HeldKeys, proxy: RedisProxy, key: str
) -> None:
    proxy.hold(call_of(leases.SHOW))
    showing = asyncio.create_task(slow.show(key, MINE))
    await proxy.arrived()
    await slow.drop({key: MINE})
    proxy.let_go()
    await within(showing)
    assert await other.read(key) == ""


async def test_what_was_given_back_is_taken_again(other: HeldKeys, key: str) -> None:
    for value in (MINE, THEIRS, "one/1/c"):
        assert await other.claim(key, value, "") is None
        assert await other.read(key) == value
        await other.drop({key: value})
    await other.show(key, MINE)
    assert await other.read(key) == MINE
    await other.forget(key, MINE)
    assert await other.read(key) == ""


async def test_what_is_kept_lives_longer(other: HeldKeys, redis: RedisServer, key: str) -> None:
    async with Redis.from_url(redis.url) as client:
        other.hold(key, MINE)
        await other.keep()
        assert await other.read(key) == MINE, "also what Redis has forgotten"
        await client.pexpire(key, 5_000)
        await other.keep()
        assert await client.pttl(key) > 5_000
        await other.claim(key, THEIRS, dead=MINE)
        await other.keep()
        assert await other.read(key) == THEIRS, "what another one has taken is lost"
        await other.drop({key: MINE})
        assert await other.read(key) == THEIRS


class Away:
    """A client of a Redis that is away now and then."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self.is_away = False

    def register_script(self, script: str) -> Callable[..., Awaitable[Any]]:
        call = self._client.register_script(script)

        async def try_it(**arguments: Any) -> Any:
            if self.is_away:
                raise ConnectionError
            return await call(**arguments)

        return try_it


async def test_what_could_not_be_given_back_is_given_back_with_the_next_beat(
    redis: RedisServer, other: HeldKeys, key: str
) -> None:
    async with Redis.from_url(redis.url) as client:
        away = Away(client)
        mine = HeldKeys(away, 3_600_000)
        await mine.claim(key, MINE, "")
        mine.hold(key, MINE)
        away.is_away = True
        await mine.drop({key: MINE})
        await mine.keep()
        assert await other.read(key) == MINE
        away.is_away = False
        await mine.keep()
        assert await other.read(key) == ""


async def test_what_has_expired_by_itself_is_owed_no_more(
    redis: RedisServer, other: HeldKeys, key: str
) -> None:
    async with Redis.from_url(redis.url) as client:
        away = Away(client)
        mine = HeldKeys(away, 0)
        await other.claim(key, MINE, "")
        away.is_away = True
        await mine.drop({key: MINE})
        away.is_away = False
        await mine.keep()
        assert await other.read(key) == MINE, "nothing was asked of Redis"


async def test_a_worker_that_listens_keeps_what_it_has(
    redis: RedisServer, proxy: RedisProxy
) -> None:
    one = relay_of(proxy.url, lease_seconds=0.5)
    await one.listen()
    assert await one.claim(CHAT)
    await proxy.passed(call_of(leases.KEEP), 5)
    await one.close()


async def test_a_claim_that_is_cancelled_leaves_the_chat_free(
    redis: RedisServer, proxy: RedisProxy
) -> None:
    one, two = relay_of(proxy.url, lease_seconds=3600), relay_of(redis.url, process="two")
    first = await one.claim(CHAT)
    assert first
    await one.release(first)
    proxy.hold(call_of(leases.CLAIM))
    claiming = asyncio.create_task(one.claim(CHAT))
    await proxy.arrived()
    claiming.cancel()
    await asyncio.wait([claiming])
    proxy.let_go()
    lease = await found(lambda: two.claim(CHAT))
    await two.release(lease)
    await one.close()
    await two.close()


async def test_who_follows_a_turn_waits_for_its_end_though_it_is_given_back(
    redis: RedisServer, proxy: RedisProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker may be slow to write the end; it is not dead for that."""
    monkeypatch.setattr(turn_logs, "BLOCK_MS", 20)
    one, two = relay_of(redis.url), relay_of(proxy.url, process="two")
    lease, log = await one.claim(CHAT), one.new_log()
    source = Source("a", log=log)
    publishing = one.publish(source)
    read = await two.follow(CHAT, log)
    assert lease and read
    pieces = read[0]
    assert await within(anext(pieces)) == raw("a")
    await one.release(lease, log)
    end = asyncio.ensure_future(anext(pieces))
    await proxy.passed(b"XREAD", 6)
    await source.put("b")
    await source.end()
    assert await within(end) == raw("b")
    assert [piece async for piece in pieces] == []
    await within(publishing)
    await one.close()
    await two.close()
