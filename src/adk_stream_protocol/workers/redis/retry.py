"""Retries a call of redis-py once after a lost connection, and never past a cancel."""

import asyncio
from typing import Any

from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff


class OnceMore(Retry):
    """One more attempt finds out about a connection that was lost while nobody used it.

    redis-py 8.1 writes inside `asyncio.wait_for`, which before Python 3.12 forgets a cancellation
    that comes as the write ends: a loop over such calls would run on, and whoever waits for its
    end would wait for ever.
    """

    def __init__(self) -> None:
        super().__init__(NoBackoff(), 1)

    async def call_with_retry(self, *args: Any, **kwargs: Any) -> Any:
        task = asyncio.current_task()
        assert task
        before = task.cancelling()
        try:
            return await super().call_with_retry(*args, **kwargs)
        finally:
            if task.cancelling() > before:
                raise asyncio.CancelledError
