"""RedisLimiter: one count for all workers. While Redis is away, each worker counts for itself."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from redis.asyncio import Redis

from adk_stream_protocol.limiter import MemoryLimiter, Rate
from adk_stream_protocol.workers.redis.away import AWAY
from adk_stream_protocol.workers.redis.retry import OnceMore

logger = logging.getLogger(__name__)

# The generic cell rate algorithm: a key holds the time at which the bucket is full again.
TAKE = """
local now = redis.call('TIME')
now = tonumber(now[1]) + tonumber(now[2]) / 1000000
local each, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + each
local wait = full - now - burst * each
if wait > 0.000001 then return tostring(wait) end
redis.call('SET', KEYS[1], string.format('%.6f', full), 'PX', math.ceil((full - now) * 1000) + 1)
return '0'
"""


class RedisLimiter:
    """A token bucket for each principal and route, in Redis. `url` as redis-py takes it."""

    def __init__(
        self,
        url: str,
        rates: Mapping[str, Rate],
        *,
        default: Rate | None = None,
        name: str = "adk-stream",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._redis: Any = Redis.from_url(
            url, socket_connect_timeout=1, socket_timeout=2, retry=OnceMore()
        )
        self._rates = dict(rates)
        self._default = default
        self._name = name
        self._alone = MemoryLimiter(rates, default=default, clock=clock)

    async def wait_for(self, principal: str, route: str) -> float:
        """Take one from the bucket, or return how long it takes until one is in it."""
        rate = self._rates.get(route, self._default)
        if rate is None:
            return 0.0
        key = f"{self._name}:rate:{route}:{quote(principal, safe='')}"
        take = self._redis.register_script(TAKE)
        try:
            return float(await take(keys=[key], args=[1 / rate.per_second, rate.at_once]))
        except AWAY:
            logger.warning("Redis is away: requests are counted by each worker for itself")
            return await self._alone.wait_for(principal, route)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._redis.aclose(close_connection_pool=True)
