"""Turns that another worker reads: from the first chunk, without a gap, or not at all."""

import asyncio
import logging
from pathlib import Path

import msgspec
import pytest

from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.protocol.sse import encode_batch, encode_json
from adk_stream_protocol.workers.redis import turn_logs as redis_logs
from adk_stream_protocol.workers.redis.relay import RedisRelay
from adk_stream_protocol.workers.relay import Followed
from tests.support.databases.redis import RedisServer
from tests.support.relayed_turn import BEFORE, CHAT, Source, found, raw, relay_of, within

pytestmark = pytest.mark.processes

Pair = tuple[RedisRelay, RedisRelay]


async def appeared(relay: RedisRelay) -> Followed:
    """Wait until the turn can be read."""

    async def follow() -> Followed | None:
        try:
            return await relay.follow(CHAT)
        except Unavailable:
            return None

    return await found(follow)


def is_lost(piece: list[AnyChunk]) -> bool:
    return b'"type":"error"' in encode_batch(piece) and len(piece) == 1


async def test_a_turn_is_read_from_its_first_chunk_while_it_runs(pair: Pair) -> None:
    one, two = pair
    source = Source("a", "b", log=one.new_log())
    publishing = one.publish(source)
    followed, earlier = await appeared(two)
    assert await one.follow(CHAT) is None, "it knows best itself what it runs"
    assert earlier == [msgspec.Raw(encode_json(chunk)) for chunk in BEFORE]
    assert await within(anext(followed)) == raw("a", "b")
    await source.put("c\n\nd")
    await source.end()
    assert [piece async for piece in followed] == [raw("c\n\nd")]
    await within(publishing)
    assert await two.follow(CHAT) is None, "the turn is over"


async def test_a_turn_that_is_over_already_is_read_by_its_name(pair: Pair) -> None:
    one, two = pair
    source = Source("a", "b", log=one.new_log())
    await source.end()
    await one.publish(source)
    assert await two.follow(CHAT) is None
    read = await two.follow(CHAT, source.log)
    assert read and [piece async for piece in read[0]] == [raw("a", "b")]


async def test_a_turn_that_is_given_back_is_hidden_and_read_to_its_end(pair: Pair) -> None:
    one, two = pair
    lease, source = await one.claim(CHAT), Source("a", log=one.new_log())
    publishing = one.publish(source)
    followed, _ = await appeared(two)
    assert lease
    await one.release(lease, source.log)
    assert await two.follow(CHAT) is None
    await source.put("b")
    await source.end()
    assert [chunk async for piece in followed for chunk in piece] == raw("a", "b")
    await within(publishing)


async def test_a_turn_given_back_before_its_first_chunk_never_shows(pair: Pair) -> None:
    one, two = pair
    lease, source = await one.claim(CHAT), Source(log=one.new_log())
    publishing = one.publish(source)
    assert lease
    await one.release(lease, source.log)
    await source.put("a")
    assert await two.follow(CHAT, source.log), "who knows its name may read it"
    assert await two.follow(CHAT) is None
    await source.end()
    await within(publishing)


async def test_a_turn_whose_worker_dies_ends_with_an_error(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_logs, "BLOCK_MS", 100)
    one, two = relay_of(redis.url, lease_seconds=2), relay_of(redis.url)
    publishing = one.publish(Source("a", log=one.new_log()))
    followed, _ = await appeared(two)
    pieces = [piece async for piece in followed]  # nobody keeps the key alive
    assert pieces[0] == raw("a") and is_lost(pieces[1]) and len(pieces) == 2
    publishing.cancel()
    await asyncio.wait([publishing])
    await one.close()
    await two.close()


async def test_a_turn_of_a_dead_process_is_not_offered(redis: RedisServer) -> None:
    one, two = relay_of(redis.url), relay_of(redis.url, process="two")
    wise = relay_of(redis.url, process="three", dead=("one",))
    publishing = one.publish(Source("a", log=one.new_log()))
    await appeared(two)
    assert await wise.follow(CHAT) is None
    publishing.cancel()
    await asyncio.wait([publishing])
    for relay in (one, two, wise):
        await relay.close()


async def test_a_writer_that_fell_behind_does_not_say_that_it_is_done(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_logs, "BLOCK_MS", 50)
    one, two = relay_of(redis.url), relay_of(redis.url, process="two")
    source = Source("a", log=one.new_log())
    source.whole = False
    await source.end()
    await one.publish(source)
    read = await two.follow(CHAT, source.log)
    assert read
    pieces = [piece async for piece in read[0]]
    assert pieces[0] == raw("a") and is_lost(pieces[-1])
    await one.close()
    await two.close()


async def test_a_log_that_lost_its_beginning_is_not_replayed(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair
    monkeypatch.setattr(redis_logs, "MAX_PIECES", 1)
    source = Source("a", log=one.new_log())
    publishing = one.publish(source)
    followed, _ = await appeared(two)
    assert await within(anext(followed)) == raw("a")
    for number in range(300):  # Redis cuts in lumps of about a hundred
        await source.put(str(number))
        await within(anext(followed))
    assert await two.follow(CHAT) is None
    await source.end()
    await within(publishing)


async def test_while_redis_is_away_nothing_is_resumed_and_then_all_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    server = RedisServer(tmp_path).start()
    one, two = relay_of(server.url), relay_of(server.url, process="two")
    source = Source("a", log=one.new_log())
    publishing = one.publish(source)
    followed, _ = await appeared(two)
    assert await within(anext(followed)) == raw("a")
    server.kill()
    with pytest.raises(Unavailable):
        await two.follow(CHAT)
    assert is_lost(await within(anext(followed))), "who was reading is told"
    await source.put("b")
    server.start()
    again, earlier = await appeared(two)
    assert earlier and await within(anext(again)) == raw("a", "b")
    await source.put("c")
    await source.end()
    assert [piece async for piece in again] == [raw("c")]
    await within(publishing)
    await one.close()
    await two.close()
    server.kill()


async def test_a_turn_ends_while_redis_is_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    server = RedisServer(tmp_path).start()
    one, two = relay_of(server.url), relay_of(server.url, process="two")
    source = Source("a", log=one.new_log())
    publishing = one.publish(source)
    await appeared(two)
    server.kill()
    await source.put("b")
    await source.end()
    await within(publishing)
    server.start()
    assert await two.follow(CHAT) is None, "nothing half known is replayed"
    await one.close()
    await two.close()
    server.kill()
