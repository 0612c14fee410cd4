"""Silences with a name, which last until somebody releases it: in any chat of the process."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock

MAX_RELEASED = 4096

_released: dict[str, None] = {}
_told: defaultdict[str, list[Callable[[], object]]] = defaultdict(list)
_lock = Lock()


def is_released(name: str) -> bool:
    """Return whether a silence of this name is over, also one that has not begun."""
    return name in _released


def release(name: str) -> None:
    """End the silences of this name, from whatever thread."""
    with _lock:
        _released[name] = None
        if len(_released) > MAX_RELEASED:
            del _released[next(iter(_released))]
        told = list(_told[name])
    for tell in told:
        tell()


@contextmanager
def told_of(name: str, tell: Callable[[], object]) -> Generator[None]:
    """Call `tell` in this loop when the name is released."""
    loop = asyncio.get_running_loop()

    def soon() -> None:
        loop.call_soon_threadsafe(tell)

    with _lock:
        _told[name].append(soon)
    try:
        yield
    finally:
        with _lock:
            _told[name].remove(soon)
            if not _told[name]:
                del _told[name]


async def until_released(name: str) -> None:
    """Be silent."""
    released = asyncio.Event()
    with told_of(name, released.set):
        if not is_released(name):
            await released.wait()
