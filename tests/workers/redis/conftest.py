"""One Redis for the tests that do not stop it."""

from collections.abc import AsyncGenerator, Generator

import pytest

from adk_stream_protocol.workers.redis.relay import RedisRelay
from tests.support.databases.redis import RedisServer
from tests.support.relayed_turn import relay_of


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Generator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis")).start()
    yield server
    server.kill()


@pytest.fixture
async def pair(redis: RedisServer) -> AsyncGenerator[tuple[RedisRelay, RedisRelay]]:
    one, two = relay_of(redis.url), relay_of(redis.url, process="two")
    await one.listen()
    await two.listen()
    yield one, two
    await one.close()
    await two.close()
