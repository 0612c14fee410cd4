"""Keys that one worker holds in Redis: they expire unless it keeps them.

Calls go over several connections, and one that has been sent may be carried out late. So a key that
is given back keeps the name of what was given back for a while: a call that comes too late finds
it, and changes nothing.
"""

import logging
import time
from typing import Any

from adk_stream_protocol.workers.redis.away import AWAY

logger = logging.getLogger(__name__)

RELEASED = "released "
"""Begins the value of a key that nobody holds. The name of no process has a space in it."""
RELEASED_MS = 10_000
"""Longer than a call can be under way."""

# Takes what is free, what is held already, and what the dead process named last has held.
CLAIM = """
local held = redis.call('GET', KEYS[1])
if held == ARGV[4] .. ARGV[1] then return held end
local is_free = not held or string.sub(held, 1, #ARGV[4]) == ARGV[4]
if not is_free and held ~= ARGV[1] and held ~= ARGV[3] then return held end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
"""
# Takes a key from whoever has it, unless this very value was given back.
SHOW = """
if redis.call('GET', KEYS[1]) ~= ARGV[3] .. ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
"""
KEEP = """
local lost = {}
for i, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if held and held ~= ARGV[i + 1] then lost[#lost + 1] = key
  else redis.call('SET', key, ARGV[i + 1], 'PX', ARGV[1]) end
end
return lost
"""
# Leaves the name of what was given back.
DROP = """
for i, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if not held or held == ARGV[i + 2] then
    redis.call('SET', key, ARGV[2] .. ARGV[i + 2], 'PX', ARGV[1])
  end
end
"""
# Leaves nothing.
FORGET = """
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] or held == ARGV[2] .. ARGV[1] then redis.call('DEL', KEYS[1]) end
"""


class HeldKeys:
    """The keys of one worker, with what they hold."""

    def __init__(self, redis: Any, lease_ms: int) -> None:
        self._redis = redis
        self._lease_ms = lease_ms
        self._held: dict[str, str] = {}
        self._owed: dict[str, tuple[str, float]] = {}
        """What could not be released, and when it expires."""

    async def claim(self, key: str, value: str, dead: str) -> str | None:
        """Claim a key that is free, or that a dead process holds. Return the holder otherwise."""
        claim = self._redis.register_script(CLAIM)
        found = await claim(keys=[key], args=[value, self._lease_ms, dead, RELEASED])
        return found.decode() if found else None

    def hold(self, key: str, value: str) -> None:
        """Keep a key from now on."""
        self._held[key] = value

    async def show(self, key: str, value: str) -> None:
        """Claim a key from whoever holds it, and keep it."""
        self.hold(key, value)
        show = self._redis.register_script(SHOW)
        await show(keys=[key], args=[value, self._lease_ms, RELEASED])

    async def read(self, key: str) -> str:
        """Read what a key holds; empty if nobody holds it."""
        found: bytes = await self._redis.get(key) or b""
        return "" if found.startswith(RELEASED.encode()) else found.decode()

    async def keep(self) -> None:
        """Keep what this worker holds. A worker that dies lets go by itself."""
        await self._drop_owed()
        held = dict(self._held)
        if not held:
            return
        try:
            keep = self._redis.register_script(KEEP)
            lost = await keep(keys=list(held), args=[self._lease_ms, *held.values()])
        except AWAY:
            logger.warning("Redis is away: leases could not be kept")
            return
        for key in (name.decode() for name in lost):
            if self._held.get(key) == held[key]:
                # Its chat goes on there; here ADK refuses the next write to the session.
                logger.warning("a chat was lost to another worker")
                del self._held[key]

    async def drop(self, values: dict[str, str]) -> None:
        """Release keys that hold these values."""
        until = time.monotonic() + self._lease_ms / 1000
        for key, value in values.items():
            self._let_go(key, value)
            self._owed[key] = value, until
        await self._drop_owed()

    async def _drop_owed(self) -> None:
        now, owed = time.monotonic(), self._owed
        self._owed = {}
        owed = {key: one for key, one in owed.items() if one[1] > now}
        if not owed:
            return
        try:
            drop = self._redis.register_script(DROP)
            values = [value for value, _ in owed.values()]
            await drop(keys=list(owed), args=[RELEASED_MS, RELEASED, *values])
        except AWAY:
            logger.warning("Redis is away: a lease is given back when it answers, or expires")
            self._owed = owed | self._owed

    async def forget(self, key: str, value: str) -> None:
        """Let go of a key that nobody needs to know of any more."""
        self._let_go(key, value)
        try:
            forget = self._redis.register_script(FORGET)
            await forget(keys=[key], args=[value, RELEASED])
        except AWAY:
            logger.warning("Redis is away: a key is left to expire")

    def _let_go(self, key: str, value: str) -> None:
        if self._held.get(key) == value:
            del self._held[key]

    async def drop_all(self) -> None:
        """Release every key."""
        await self.drop(dict(self._held))
