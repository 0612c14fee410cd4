"""Limiter: how often a principal may do something. `mount(..., limiter=MemoryLimiter(...))`.

A limiter in memory counts for one worker. `workers.redis.limiter.RedisLimiter` counts for all.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

MAX_KEPT = 10_000
"""Principals that are remembered; the ones seen longest ago are forgotten first."""

ROUTES = ("chat", "resume", "stop", "approvals", "decide", "messages", "chats", "delete", "live")
"""What is counted apart: the routes of `mount`. A message on a socket counts as `chat`."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many per second after that."""

    at_once: int
    per_second: float

    def __post_init__(self) -> None:
        if not (self.at_once >= 1 and self.per_second > 0):
            raise ValueError("a rate needs at least one at once, and more than zero per second")


class Limiter(Protocol):
    """Counts what principals do. It is asked once for each request."""

    async def wait_for(self, principal: str, route: str) -> float:
        """Count one more, and return 0; or count nothing, and return the seconds to wait."""
        ...


class MemoryLimiter:
    """A token bucket for each principal and route, in the memory of this worker."""

    def __init__(
        self,
        rates: Mapping[str, Rate],
        *,
        default: Rate | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if unknown := sorted(set(rates) - set(ROUTES)):
            raise ValueError(f"{unknown[0]!r} is no route; the routes are {', '.join(ROUTES)}")
        self._rates = dict(rates)
        self._default = default
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        """How many are left, and since when."""

    async def wait_for(self, principal: str, route: str) -> float:
        """Take one from the bucket, or return how long it takes until one is in it."""
        rate = self._rates.get(route, self._default)
        if rate is None:
            return 0.0
        now, key = self._clock(), (principal, route)
        left, since = self._buckets.pop(key, (float(rate.at_once), now))
        left = min(float(rate.at_once), left + (now - since) * rate.per_second)
        seconds = 0.0 if left >= 1 else (1 - left) / rate.per_second
        self._buckets[key] = (left - 1 if left >= 1 else left, now)
        if len(self._buckets) > MAX_KEPT:
            self._buckets.popitem(last=False)
        return seconds
