"""Draining: on SIGTERM or Ctrl-C the running turns end before the server hears of it.

A server would close its sockets first, and then wait for streams that wait for their turns.
"""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable
from types import FrameType, TracebackType
from typing import Self

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

Handler = Callable[[int, FrameType | None], object]


class Draining:
    """Stands before the signal handlers of a server, if the server has set any."""

    def __init__(self, drain: Callable[[], Awaitable[None]]) -> None:
        self._drain = drain
        self._loop = asyncio.get_running_loop()
        self._servers: dict[int, Handler] = {}
        self._task: asyncio.Task[None] | None = None
        self._is_draining = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler) and handler is not signal.default_int_handler:
                    self._servers[number] = handler
                    signal.signal(number, self._signalled)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._servers.items():
            if signal.getsignal(number) == self._signalled:
                signal.signal(number, handler)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if not self._is_draining:
            self._is_draining = True
            self._loop.call_soon_threadsafe(self._begin, number)
        elif number == signal.SIGINT:  # Ctrl-C again: do not drain any longer
            self._servers[number](number, frame)

    def _begin(self, number: int) -> None:
        self._task = self._loop.create_task(self._drain_first(number))

    async def _drain_first(self, number: int) -> None:
        try:
            await self._drain()
        finally:
            self._servers[number](number, None)
