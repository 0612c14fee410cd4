"""A call is made once more after a lost connection, and never past a cancel."""

import asyncio

import pytest
from redis.exceptions import ConnectionError as Lost

from adk_stream_protocol.workers.redis.retry import OnceMore


class Calls:
    """Loses its connection so often, then answers."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.made = 0

    async def call(self) -> str:
        self.made += 1
        if self.made <= self.losses:
            raise Lost("gone")
        return "pong"

    async def lost(self, error: Exception) -> None:
        return None


@pytest.mark.parametrize("losses", [0, 1])
async def test_one_lost_connection_is_forgiven(losses: int) -> None:
    calls = Calls(losses)
    assert await OnceMore().call_with_retry(calls.call, calls.lost) == "pong"
    assert calls.made == losses + 1


async def test_two_are_not() -> None:
    calls = Calls(2)
    with pytest.raises(Lost):
        await OnceMore().call_with_retry(calls.call, calls.lost)


async def test_a_cancellation_that_redis_py_swallows_is_not_lost() -> None:
    begun = asyncio.Event()

    async def swallow() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "as if nothing had been"
        return ""

    async def lost(error: Exception) -> None:
        return None

    task = asyncio.create_task(OnceMore().call_with_retry(swallow, lost))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
