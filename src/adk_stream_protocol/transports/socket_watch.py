"""Watch: how long a socket may stay open, how often its client is asked for, how fast it talks."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.errors import Unauthenticated
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.transports.outbox import Outbox

logger = logging.getLogger(__name__)

GOING_AWAY, FAILED = 1001, 1011


class Watch:
    """Looks after one socket. A bare timer: most sockets are silent most of the time."""

    def __init__(self, limits: Limits, out: Outbox) -> None:
        self._limits = limits
        self._out = out
        self._loop = asyncio.get_running_loop()
        self._opened = self._heard = self._checked = self._loop.time()
        self._left = float(limits.frames_at_once)
        self._timer: asyncio.TimerHandle | None = None
        self._tasks = BackgroundTasks()

    def begin(self, recheck: Callable[[], Awaitable[None]]) -> None:
        """Look at the socket every now and then; `recheck` raises if it must end."""
        limits = self._limits
        seconds = min(limits.recheck, limits.socket_idle, limits.socket_lifetime)
        self._timer = self._loop.call_later(seconds, self._look, recheck)

    def end(self) -> None:
        """The socket is gone."""
        if self._timer:
            self._timer.cancel()
        self._tasks.cancel()

    @property
    def is_due(self) -> bool:
        """Return whether the client was identified longer ago than it should be."""
        return self._loop.time() - self._checked >= self._limits.recheck

    def identified(self) -> None:
        """Note that the client has just been identified."""
        self._checked = self._loop.time()

    async def frame(self) -> None:
        """Note a frame. One that comes too early waits, and those behind it with it."""
        limits, now = self._limits, self._loop.time()
        self._left += (now - self._heard) * limits.frames_per_second
        self._left = min(self._left, float(limits.frames_at_once)) - 1
        self._heard = now
        if self._left < 0:
            await asyncio.sleep(-self._left / limits.frames_per_second)

    def _look(self, recheck: Callable[[], Awaitable[None]]) -> None:
        now, limits = self._loop.time(), self._limits
        is_idle = now - self._heard >= limits.socket_idle and not self._out.is_sending
        if now - self._opened >= limits.socket_lifetime:
            self._out.close_soon(GOING_AWAY, "this connection is old, please connect again")
        elif is_idle:
            self._out.close_soon(GOING_AWAY, "nothing was said for long")
        else:
            if self.is_due:
                self._tasks.spawn(self._identify(recheck))
            self.begin(recheck)

    async def _identify(self, recheck: Callable[[], Awaitable[None]]) -> None:
        try:
            await recheck()
        except Unauthenticated:
            logger.info("a socket is closed: its client is no longer signed in")
        except Exception as error:
            log_failure(logger, error, "a client could not be identified again")
            self._out.close_soon(FAILED, "please connect again")
