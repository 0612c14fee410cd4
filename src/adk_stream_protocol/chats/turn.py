"""Turn: one running turn. ADK's side puts chunks in; readers take them out.

A turn keeps its chunks while it runs, so that a reader may come late or twice. It goes on when its
readers leave: a payment under way is finished and recorded. A reader that stalls holds a request
turn back only up to a bound and for a while; then it counts as gone.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.reader import MAX_WAITING, Reader
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta, TextEnd
from adk_stream_protocol.telemetry.turns import UNTRACED

MAX_KEPT = 20_000
STALL_SECONDS = 30.0


class Turn:
    """The chunks of a running turn on their way out."""

    def __init__(self, reference: str, chat_id: ChatId, log: str = "") -> None:
        self.reference = reference
        self.chat_id = chat_id
        self.log = log
        """The name under which other workers can read the turn."""
        self.task: asyncio.Task[None] | None = None
        self.encoder: TurnEncoder | None = None
        self.loop = asyncio.get_running_loop()
        self._kept: list[AnyChunk] = []
        self._dropped = 0
        self._readers: set[Reader] = set()
        self._taken = asyncio.Event()
        self._when_unread: Callable[[], object] | None = None
        self._detached = False
        self._has_begun = self._is_stopped = False
        self.ended = False
        self.observed = UNTRACED
        self.message_prefix: Callable[[], list[AnyChunk]] = list
        """Makes the chunks that earlier turns have brought of the message of this one."""

    def begin(self) -> None:
        """The task runs, and cancelling it ends the turn from now on."""
        self._has_begun = True
        if self._is_stopped:
            raise asyncio.CancelledError

    def stop(self) -> None:
        """Cancel the task. One that is cancelled before its first step would never end the turn."""
        self._is_stopped = True
        if self._has_begun and self.task:
            self.task.cancel()

    def put(self, chunks: list[AnyChunk]) -> None:
        """Queue chunks for the readers."""
        if chunks and not self._detached:
            self._kept += chunks
            kept = len(self._kept)
            for reader in self._readers:
                if self._dropped + kept >= reader.wanted:
                    reader.wake(True)
            if kept > MAX_KEPT:
                self._trim()

    def _trim(self) -> None:
        """Forget the older half. Who has not read it by now cannot be served any more."""
        half = len(self._kept) // 2
        self._dropped += half
        del self._kept[:half]

    def end(self, chunks: list[AnyChunk]) -> None:
        """Queue the last chunks."""
        self.put(chunks)
        self.ended = True
        for reader in self._readers:
            reader.wake(True)
        error_code = self.encoder.error_code if self.encoder else ""
        self.observed.end(chunks, self.size, error_code)

    @property
    def message_id(self) -> str:
        """The id of the message that it makes; empty if nobody reads it."""
        return (self.encoder and self.encoder.message_id) or ""

    @property
    def is_whole(self) -> bool:
        """Whether a reader that comes now gets everything from the first chunk on."""
        return not self._dropped and not self._detached

    @property
    def size(self) -> int:
        """How many chunks the turn has had so far."""
        return self._dropped + len(self._kept)

    @property
    def is_full(self) -> bool:
        limit = self.size - MAX_WAITING
        return limit >= 0 and any(reader.position <= limit for reader in self._readers)

    async def wait_for_room(self) -> None:
        """Wait until the slow readers have taken what is queued, or give them up."""
        try:
            async with asyncio.timeout(STALL_SECONDS):
                while self.is_full:
                    self._taken.clear()
                    await self._taken.wait()
        except TimeoutError:
            limit = self.size - MAX_WAITING
            self._readers = {reader for reader in self._readers if reader.position > limit}

    async def drain(self, seconds: float) -> None:
        """Wait until its readers have taken the end of it, but not for longer than this."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._readers:
                    self._taken.clear()
                    await self._taken.wait()

    def reader(self, *, from_message_start: bool = False) -> Reader:
        """A reader from the first chunk of the turn, or of its whole message. Close it."""
        reader = Reader(self, from_message_start)
        self._readers.add(reader)
        return reader

    async def batches(
        self, idle_seconds: float, *, from_message_start: bool = False
    ) -> AsyncIterator[list[AnyChunk]]:
        """Everything that is waiting, piece by piece; an empty piece when nothing came for long."""
        reader = self.reader(from_message_start=from_message_start)
        try:
            while (batch := await reader.next(idle_seconds)) is not None:
                yield batch
        finally:
            reader.close()

    def when_unread(self, do: Callable[[], object]) -> None:
        """Do something once the turn has no readers, which may be now."""
        self._when_unread = do
        self._look_for_readers()

    def _look_for_readers(self) -> None:
        if self._when_unread and not self._readers:
            do, self._when_unread = self._when_unread, None
            do()

    def detach(self) -> None:
        """Nobody will read this turn: its chunks are dropped."""
        self._detached = True

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None:
        """Queue a data part, from whatever thread a tool runs in."""
        if self.encoder:
            chunks = self.encoder.data(name, data, id, transient)
            self.loop.call_soon_threadsafe(self.put, chunks)

    def open_text(self) -> str:
        """What has been said in text parts that are not closed yet."""
        said: dict[str, list[str]] = {}
        for chunk in self._kept:
            if isinstance(chunk, TextDelta):
                said.setdefault(chunk.id, []).append(chunk.delta)
            elif isinstance(chunk, TextEnd):
                said.pop(chunk.id, None)
        return "".join(delta for deltas in said.values() for delta in deltas)

    def since(self, position: int) -> list[AnyChunk] | None:
        """The chunks from a position on; None if they are no longer kept."""
        start = position - self._dropped
        return None if start < 0 else self._kept[start:]

    def reader_advanced(self) -> None:
        self._taken.set()

    def remove_reader(self, reader: Reader) -> None:
        self._readers.discard(reader)
        self._taken.set()
        self._look_for_readers()
