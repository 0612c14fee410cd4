"""What is raised while Redis is away is known as that, and nothing else is."""

import pytest
from redis.asyncio import Redis

from adk_stream_protocol.workers.redis.away import AWAY
from tests.support.servers.demo import free_port


async def test_a_redis_that_is_not_there_is_away() -> None:
    redis = Redis(port=free_port())
    with pytest.raises(AWAY):
        await redis.ping()
    await redis.aclose()


def test_a_mistake_of_ours_is_not_taken_for_it() -> None:
    assert not isinstance(TypeError(), AWAY) and not isinstance(KeyError(), AWAY)
