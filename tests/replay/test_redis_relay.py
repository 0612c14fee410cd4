"""Two workers on one real Redis: leases, turns to follow, talk, and Redis going away."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta
from adk_stream_protocol.protocol.sse import encode_batch, encode_json
from adk_stream_protocol.replay import redis_relay
from adk_stream_protocol.replay.redis_relay import RedisRelay
from tests.support.redis import RedisServer

CHAT = ("al:ice", "c/1")


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Generator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis")).start()
    yield server
    server.kill()


async def nothing(kind: str, body: dict[str, Any]) -> dict[str, Any] | None:
    return None


@pytest.fixture
async def pair(redis: RedisServer) -> AsyncGenerator[tuple[RedisRelay, RedisRelay]]:
    one, two = RedisRelay(redis.url), RedisRelay(redis.url)
    await one.listen(nothing)
    await two.listen(nothing)
    yield one, two
    await one.close()
    await two.close()


class Turn:
    """Chunks that the test lets out one by one."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[list[AnyChunk] | None] = asyncio.Queue()

    def put(self, *texts: str) -> None:
        self._queue.put_nowait([TextDelta(id="0", delta=text) for text in texts])

    def end(self) -> None:
        self._queue.put_nowait(None)

    async def batches(self) -> AsyncIterator[list[AnyChunk]]:
        while (batch := await self._queue.get()) is not None:
            yield batch


def before() -> list[AnyChunk]:
    return [TextDelta(id="9", delta="x")]


def raw(*texts: str) -> list[msgspec.Raw]:
    return [msgspec.Raw(encode_json(TextDelta(id="0", delta=text))) for text in texts]


async def within(waiting: Any, seconds: float = 10) -> Any:
    async with asyncio.timeout(seconds):
        return await waiting


async def test_one_worker_at_a_time_has_a_chat(pair: tuple[RedisRelay, RedisRelay]) -> None:
    one, two = pair
    lease = await one.claim(CHAT)
    assert lease and await two.claim(CHAT) is None and await one.claim(CHAT) is None
    other = await two.claim(("al", "ice:c/1"))
    assert other, "ids with separators in them are chats of their own"
    await one.release(lease)
    again = await two.claim(CHAT)
    assert again
    await one.release(lease)  # given back long ago: it takes nothing away
    assert await one.claim(CHAT) is None
    await two.release(again)
    await two.release(other)


async def test_a_lease_outlives_its_time_while_its_worker_lives(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_relay, "LEASE_MS", 200)
    monkeypatch.setattr(redis_relay, "BEAT_SECONDS", 0.05)
    one, two = RedisRelay(redis.url), RedisRelay(redis.url)
    await one.listen(nothing)
    lease = await one.claim(CHAT)
    for _ in range(8):
        await asyncio.sleep(0.1)
        assert await two.claim(CHAT) is None
    one._jobs.cancel()  # pyright: ignore[reportPrivateUsage]  # the worker dies
    async with asyncio.timeout(10):
        taken = None
        while taken is None:
            await asyncio.sleep(0.05)
            taken = await two.claim(CHAT)
    assert lease and taken.id != lease.id
    await two.release(taken)
    await one.close()
    await two.close()


async def test_a_turn_is_read_from_its_first_chunk_while_it_runs(
    pair: tuple[RedisRelay, RedisRelay],
) -> None:
    one, two = pair
    turn = Turn()
    turn.put("a", "b")
    publishing = asyncio.create_task(
        one.publish(CHAT, turn.batches(), lambda: [TextDelta(id="9", delta="x")])
    )
    found = await two.follow(CHAT, patience=5)
    assert found is not None
    followed, earlier = found
    assert earlier == [msgspec.Raw(encode_json(TextDelta(id="9", delta="x")))]
    early = await within(anext(followed))
    assert early == raw("a", "b")
    turn.put("c\n\nd")
    turn.end()
    assert [piece async for piece in followed] == [raw("c\n\nd")]
    await within(publishing)
    assert await two.follow(CHAT) is None, "the turn is over"


async def test_a_turn_whose_worker_dies_ends_with_an_error(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_relay, "LEASE_MS", 300)
    monkeypatch.setattr(redis_relay, "BLOCK_MS", 100)
    one, two = RedisRelay(redis.url), RedisRelay(redis.url)
    turn = Turn()
    turn.put("a")
    publishing = asyncio.create_task(
        one.publish(CHAT, turn.batches(), lambda: [TextDelta(id="9", delta="x")])
    )
    found = await two.follow(CHAT, patience=5)
    assert found is not None
    pieces = [piece async for piece in found[0]]  # nobody keeps the key alive
    assert pieces[0] == raw("a")
    assert b'"type":"error"' in encode_batch(pieces[1]) and len(pieces) == 2
    publishing.cancel()
    await asyncio.wait([publishing])
    await one.close()
    await two.close()


async def test_workers_talk(redis: RedisServer) -> None:
    heard: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    async def hear(kind: str, body: dict[str, Any]) -> dict[str, Any] | None:
        heard.put_nowait((kind, body))
        return {"done": True} if kind == "stop" else None

    one, two = RedisRelay(redis.url), RedisRelay(redis.url)
    await one.listen(nothing)
    await two.listen(hear)
    async with asyncio.timeout(10):
        while heard.empty():  # until the subscription stands
            await one.tell("wake", {"approval": "a1"})
            await asyncio.sleep(0.05)
    assert await within(heard.get()) == ("wake", {"approval": "a1"})
    assert await one.ask(CHAT, "stop", {}) is None, "nobody holds it"
    lease = await two.claim(CHAT)
    assert lease and await within(one.ask(CHAT, "stop", {"chat": CHAT})) == {"done": True}
    await one.close()
    await two.close()


async def test_while_redis_is_away_nothing_is_resumed_and_turns_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    server = RedisServer(tmp_path).start()
    one, two = RedisRelay(server.url), RedisRelay(server.url)
    await one.listen(nothing)
    turn = Turn()
    turn.put("a")
    publishing = asyncio.create_task(
        one.publish(CHAT, turn.batches(), lambda: [TextDelta(id="9", delta="x")])
    )
    assert await two.follow(CHAT, patience=5) is not None
    server.kill()
    assert await one.claim(CHAT), "a chat goes on without it"
    with pytest.raises(Unavailable):
        await two.follow(CHAT)
    turn.put("b")
    turn.end()
    await within(publishing)
    server.start()
    assert await two.follow(CHAT) is None, "nothing half known is replayed"
    lease = await one.claim(("bob", "c2"))
    assert lease and lease.id
    await one.close()
    await two.close()
    server.kill()
