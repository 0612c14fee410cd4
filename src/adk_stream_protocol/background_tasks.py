"""BackgroundTasks: tasks that nobody awaits. Their owner keeps them alive."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class BackgroundTasks:
    """Hold the running tasks of one owner."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def spawn(self, job: Coroutine[Any, Any, None]) -> None:
        """Run a job by itself."""
        self.begin(job)

    def begin(self, job: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a job that others may wait for."""
        task = asyncio.create_task(job)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def cancel(self) -> None:
        """Stop them all."""
        for task in list(self._running):
            task.cancel()

    async def done(self, seconds: float | None = None) -> None:
        """Wait for those that run now."""
        if self._running:
            await asyncio.wait(list(self._running), timeout=seconds)
