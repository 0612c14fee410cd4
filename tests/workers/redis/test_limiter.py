"""One count for all workers, kept by Redis."""

import asyncio

from adk_stream_protocol import Rate
from adk_stream_protocol.workers.redis.limiter import RedisLimiter
from tests.support.databases.redis import RedisServer
from tests.support.servers.in_process import until

RATES = {"chat": Rate(3, per_second=0.001)}


async def test_two_workers_count_together(redis: RedisServer) -> None:
    one, two = RedisLimiter(redis.url, RATES), RedisLimiter(redis.url, RATES)
    found = await asyncio.gather(*(one.wait_for("a b", "chat") for _ in range(2)))
    found += await asyncio.gather(*(two.wait_for("a b", "chat") for _ in range(2)))
    assert found[:3] == [0, 0, 0] and 0 < found[3] <= 1_000
    assert await two.wait_for("bob", "chat") == 0
    assert await two.wait_for("a b", "stop") == 0
    await one.close()
    await two.close()


async def test_a_default_is_for_all_other_routes(redis: RedisServer) -> None:
    limiter = RedisLimiter(redis.url, {}, default=Rate(1, 0.001), name="default")
    assert await limiter.wait_for("alice", "stop") == 0
    assert await limiter.wait_for("alice", "stop") > 0
    await limiter.close()


async def test_a_bucket_fills_again(redis: RedisServer) -> None:
    limiter = RedisLimiter(redis.url, {"chat": Rate(1, per_second=50)}, name="quick")

    async def is_free() -> bool:
        return not await limiter.wait_for("alice", "chat")

    for _ in range(3):
        await until(is_free)
    await limiter.close()


async def test_without_redis_each_worker_counts_for_itself() -> None:
    limiter = RedisLimiter("redis://127.0.0.1:1", RATES)
    assert [await limiter.wait_for("alice", "chat") for _ in range(3)] == [0, 0, 0]
    assert await limiter.wait_for("alice", "chat") > 0
    await limiter.close()
