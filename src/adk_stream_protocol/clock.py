"""The time, for deadlines: it begins as the computer's clock says, and never jumps after that.

Somebody may set the computer's clock, or a time server may. A deadline holds all the same: while
the process lives, time goes on as long as it really takes. What is stored says how late it was at
least, so that a process which starts after the clock was set back gives nothing new life.
"""

import time
from collections.abc import Callable

_NOTICED = 0.5
"""Seconds of difference below which the computer's clock has merely been adjusted."""


def _ticks() -> tuple[float, ...]:
    """Read the clocks that only go forward. One of them goes on while the computer sleeps."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)  # Linux has it
    steady = time.monotonic()
    return (steady, time.clock_gettime(boot)) if boot is not None else (steady,)


class SteadyClock:
    """A clock that only goes forward, in seconds since 1970."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        ticks: Callable[[], tuple[float, ...]] = _ticks,
    ) -> None:
        self._wall = wall
        self._ticks = ticks
        self._start = ticks()
        self._base = wall()
        self._latest = self._base

    def now(self) -> float:
        """Return the time."""
        passed = max(now - start for now, start in zip(self._ticks(), self._start, strict=True))
        self._latest = max(self._latest, self._base + passed)
        return self._latest

    def at_least(self, moment: float) -> None:
        """Learn that it is later than it seems: something stored is as old as this."""
        if (behind := moment - self.now()) > 0:
            self._base += behind

    @property
    def skew(self) -> float:
        """Return by how much this clock is ahead of the computer's; 0 if that has not jumped."""
        difference = self.now() - self._wall()
        return difference if abs(difference) > _NOTICED else 0.0


steady_clock = SteadyClock()
"""The clock of this process."""
