"""Running turns as Redis streams: written by the worker that runs them, read by any other.

A log is replayed whole or not at all. Its entries count the chunks before them, so that a reader
finds every gap, and the last one says that the turn is over.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import msgspec

from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.protocol.chunks import AnyChunk, Error
from adk_stream_protocol.protocol.sse import encode_json
from adk_stream_protocol.workers.redis.away import AWAY
from adk_stream_protocol.workers.redis.leases import RELEASED
from adk_stream_protocol.workers.relay import Source, SourceReader

logger = logging.getLogger(__name__)

LOG_SECONDS = 3_600
ENDED_SECONDS = 60
MAX_PIECES = 20_000
BLOCK_MS = 1_000
PATIENCE_SECONDS = 5.0
IDLE_SECONDS = 5.0  # how often the writer of a silent turn looks if its log is still there
AGAIN_SECONDS = 0.5
UNREADABLE = "This answer cannot be resumed at the moment."
_LOST = "The connection to this answer was lost. (link-lost)"


class _Broken(Exception):
    """A log with a gap, or one that nobody writes any more."""


class Logs:
    """The logs of one application. A key of its own names the log of the turn that runs."""

    def __init__(self, redis: Any, is_gone: Callable[[str], bool]) -> None:
        self._redis = redis
        self._is_gone = is_gone

    async def write(self, log: str, source: Source, hold: Callable[[], Awaitable[None]]) -> None:
        """Write a turn while it runs; anew and from its beginning if Redis was away meanwhile."""
        while True:
            reader = source.reader()
            try:
                await self._write(log, source, reader, hold)
                return
            except _Broken:
                logger.warning("Redis has lost the log of a turn; it is written again")
            except AWAY:
                logger.warning("Redis is away: a turn cannot be resumed on another worker")
                await asyncio.sleep(AGAIN_SECONDS)
            finally:
                reader.close()
            if source.ended:
                return

    async def _write(
        self, log: str, source: Source, reader: SourceReader, hold: Callable[[], Awaitable[None]]
    ) -> None:
        count: int | None = None
        while (batch := await reader.next(IDLE_SECONDS)) is not None:
            pipe = self._redis.pipeline(transaction=False)
            if count is None:  # only now is it known what came before
                pipe.delete(log)
                pipe.xadd(log, {"at": 0, "piece": _lines(source.message_prefix())})
            if batch:
                piece = {"at": count or 0, "piece": _lines(batch)}
                pipe.xadd(log, piece, maxlen=MAX_PIECES, approximate=True, nomkstream=True)
            pipe.expire(log, LOG_SECONDS)
            if not (await pipe.execute())[-1]:
                raise _Broken
            if count is None:
                await hold()
            count = (count or 0) + len(batch)
        if count is not None and reader.is_done:  # else it fell behind, and has gaps
            pipe = self._redis.pipeline(transaction=False)
            pipe.xadd(log, {"end": count}, nomkstream=True)
            pipe.expire(log, ENDED_SECONDS)
            await pipe.execute()

    async def open(self, log: str, *, wait: bool) -> tuple[list[AnyChunk], bytes] | None:
        """Find what came before a turn, and where its chunks begin; None if it is over or cut."""
        try:
            found = await self._first(log, PATIENCE_SECONDS if wait else 0)
            is_over = not wait and await self._is_over(log)
        except AWAY as error:
            raise Unavailable(UNREADABLE) from error
        if not found:
            raise Unavailable(UNREADABLE)
        number, entry = found[0]
        is_cut = any(int(entry.get(b"at", 0)) for _, entry in found) or b"piece" not in entry
        return None if is_over or is_cut else (_chunks(entry[b"piece"]), number)

    async def _first(self, log: str, patience: float) -> list[Any]:
        until = asyncio.get_running_loop().time() + patience
        while True:
            block = BLOCK_MS if patience else None
            if found := await self._redis.xread({log: "0"}, block=block, count=2):
                return found[0][1]
            if asyncio.get_running_loop().time() >= until:
                return []

    async def _is_over(self, log: str) -> bool:
        last = await self._redis.xrevrange(log, count=1)
        return bool(last) and b"end" in last[0][1]

    async def read(
        self, key: str, value: str, log: str, at: bytes
    ) -> AsyncIterator[list[AnyChunk]]:
        """Yield the chunks of a turn as they come. `key` holds `value` while they are written."""
        try:
            async for batch in self._read(key, value, log, at):
                yield batch
            return
        except _Broken:
            logger.warning("the log of a turn on another worker ended before the turn")
        except AWAY:
            logger.warning("Redis went away while a turn was followed")
        yield [Error(error_text=_LOST)]

    async def _read(
        self, key: str, value: str, log: str, at: bytes
    ) -> AsyncIterator[list[AnyChunk]]:
        expected, missed = 0, 0
        while True:
            found = await self._redis.xread({log: at}, block=BLOCK_MS, count=500)
            for number, entry in found[0][1] if found else ():
                at = number
                if int(entry.get(b"end", entry.get(b"at"))) != expected:
                    raise _Broken
                if b"end" in entry:
                    return
                batch = _chunks(entry[b"piece"])
                expected += len(batch)
                yield batch
            missed = 0 if found or await self._is_written(key, value) else missed + 1
            if missed > 1:
                raise _Broken

    async def _is_written(self, key: str, value: str) -> bool:
        """Return whether more may come, also after the lease was released: the end follows it."""
        held = (await self._redis.get(key) or b"").decode()
        return held in (value, RELEASED + value) and not self._is_gone(value)


def _lines(chunks: list[AnyChunk]) -> bytes:
    return b"\n".join(map(encode_json, chunks))


def _chunks(lines: bytes) -> list[AnyChunk]:
    """Read chunks as they were written: they only pass through here."""
    return cast(list[AnyChunk], [msgspec.Raw(line) for line in lines.split(b"\n") if line])
