"""Deadlines of browser calls in a live run, where no request comes to look at them."""

import asyncio
from collections.abc import Callable

from adk_stream_protocol.clock import steady_clock
from adk_stream_protocol.convert.calls import Call


class Deadlines:
    """One timer for the next call whose time is over."""

    def __init__(
        self, ttl: float, waiting: Callable[[], list[Call]], on_late: Callable[[list[Call]], None]
    ) -> None:
        self._ttl = ttl
        self._waiting = waiting
        self._on_late = on_late
        self._timer: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        """Look at what waits now."""
        self.stop()
        if left := [self._seconds_left(call) for call in self._waiting()]:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, min(left)), self._expire)

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _seconds_left(self, call: Call) -> float:
        return call.asked_at + (call.ttl or self._ttl) - steady_clock.now()

    def _expire(self) -> None:
        if late := [call for call in self._waiting() if self._seconds_left(call) <= 0]:
            self._on_late(late)
        else:
            self.watch()
