"""Whether a Redis answers."""

import socket
from pathlib import Path

import pytest

from adk_stream_protocol.cli.redis_check import check_redis
from adk_stream_protocol.demo.cannot_start import CannotStart
from tests.support.databases.redis import RedisServer


@pytest.mark.processes
async def test_a_redis_that_answers_is_fine(tmp_path: Path) -> None:
    server = RedisServer(tmp_path).start()
    try:
        await check_redis(server.url, 60)
        with pytest.raises(CannotStart, match="DB index is out of range"):
            await check_redis(server.url.replace("/0", "/999"), 60)
    finally:
        server.kill()


async def test_one_that_says_nothing_is_refused_and_no_password_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        place = f"127.0.0.1:{deaf.getsockname()[1]}/0"
        with pytest.raises(CannotStart) as refused:
            await check_redis(f"redis://:secret@{place}", 0.05)
    assert f"Redis at redis://{place} cannot be reached (no answer" in str(refused.value)
