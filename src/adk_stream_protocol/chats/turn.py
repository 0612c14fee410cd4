"""Turn and Reader: one running turn, and one way out of it. ADK's side puts chunks in; readers
take them out.

A turn keeps its chunks while it runs, so that a reader may come late or twice. It goes on when its
readers leave: a payment under way is finished and recorded. A reader that stalls holds a request
turn back only up to a bound and for a while; then it counts as gone.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from itertools import pairwise
from secrets import token_hex
from time import monotonic
from typing import Any

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta, TextEnd
from adk_stream_protocol.telemetry.instruments import WHY, dropped_chunks, replayed_chunks
from adk_stream_protocol.telemetry.turns import UNTRACED

MAX_KEPT = 20_000
STALL_SECONDS = 30.0
MAX_WAITING = 2_000
"""How many chunks a reader may be behind before a request turn waits for it."""
GATHER_ROUNDS, LOOK_ROUNDS = 12, 4
"""Event-loop turns to wait for more chunks before a write, when the last write held several. In a
flood, only enough to measure the latency of the loop.
"""
FLOOD, FLOOD_ROUNDS, FLOOD_SECONDS = 4, 64, 0.2
"""A flood starts at FLOOD chunks per write. Then wait up to FLOOD_ROUNDS loop turns, and at most
FLOOD_SECONDS.
"""


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
        self._stored = asyncio.Event()
        self._refusal: StreamProtocolError | None = None
        self.ended = False
        self.observed = UNTRACED
        self.message_prefix: Callable[[], list[AnyChunk]] = list
        """Makes the chunks that earlier turns have brought of the message of this one."""

    def begin(self) -> None:
        """Note that the task runs: from now on, cancelling it ends the turn."""
        self._has_begun = True
        if self._is_stopped:
            raise asyncio.CancelledError

    def stop(self) -> None:
        """Cancel the task. One that is cancelled before its first step would never end the turn."""
        self._is_stopped = True
        if self._has_begun and self.task:
            self.task.cancel()

    def stored(self) -> None:
        """Note that what the turn begins with is in the store."""
        self._stored.set()

    def refuse(self, error: StreamProtocolError) -> None:
        """Refuse the request, unless it has been stored."""
        if not self._stored.is_set():
            self._refusal = error

    async def accepted(self) -> None:
        """Wait until the request has been stored, or raise why it was refused."""
        await self._stored.wait()
        if self._refusal:
            raise self._refusal

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
        """Return whether a reader that comes now gets everything from the first chunk on."""
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

    def reader(self, *, from_message_start: bool = False) -> "Reader":
        """Add a reader from the first chunk of the turn, or of its whole message. Close it."""
        reader = Reader(self, from_message_start)
        self._readers.add(reader)
        return reader

    async def batches(
        self, idle_seconds: float, *, from_message_start: bool = False
    ) -> AsyncIterator[list[AnyChunk]]:
        """Yield all that is waiting, batch by batch; an empty batch when nothing came for long."""
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
        """Drop the chunks of this turn: nobody will read it."""
        self._detached = True

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None:
        """Queue a data part, from whatever thread a tool runs in."""
        if self.encoder:
            chunks = self.encoder.data(name, data, id, transient)
            self.loop.call_soon_threadsafe(self.put, chunks)

    def open_text(self) -> str:
        """Return what has been said in text parts that are not closed yet."""
        said: dict[str, list[str]] = {}
        for chunk in self._kept:
            if isinstance(chunk, TextDelta):
                said.setdefault(chunk.id, []).append(chunk.delta)
            elif isinstance(chunk, TextEnd):
                said.pop(chunk.id, None)
        return "".join(delta for deltas in said.values() for delta in deltas)

    def since(self, position: int) -> list[AnyChunk] | None:
        """Return the chunks from a position on; None if they are no longer kept."""
        start = position - self._dropped
        return None if start < 0 else self._kept[start:]

    def reader_advanced(self) -> None:
        self._taken.set()

    def remove_reader(self, reader: "Reader") -> None:
        self._readers.discard(reader)
        self._taken.set()
        self._look_for_readers()


class Reader:
    """One way out of a turn, for a transport that sends whatever is waiting.

    A chunk that comes alone is passed on immediately. Chunks that come faster than they can be
    written are gathered: a write costs as much as many chunks.
    """

    __slots__ = (
        "_in_numbers",
        "_is_flooded",
        "_round",
        "_turn",
        "_waiting",
        "_from_message_start",
        "position",
        "wanted",
    )

    def __init__(self, turn: Turn, from_message_start: bool) -> None:
        self._turn = turn
        self._from_message_start = from_message_start
        self._waiting: asyncio.Future[bool] | None = None
        self._in_numbers = self._is_flooded = False
        self._round = 0.0
        self.position = 0
        self.wanted = 0
        """How many chunks the turn must have had before it is told of more."""

    async def next(self, idle_seconds: float) -> list[AnyChunk] | None:
        """Return all that is waiting; an empty list when nothing came for long; None at the end.

        A reader that fell so far behind that chunks are gone is at its end, but not done.
        """
        turn = self._turn
        if self._is_flooded and not turn.ended and turn.size < self.position + FLOOD_ROUNDS:
            await self._more(min(FLOOD_SECONDS, FLOOD_ROUNDS * self._round), FLOOD_ROUNDS)
        while turn.size <= self.position:
            if turn.ended:
                return None
            if not await self._more(idle_seconds):
                return []
        if self._in_numbers:
            await self._gather(LOOK_ROUNDS if self._is_flooded else GATHER_ROUNDS)
        batch = turn.since(self.position)
        if batch and self._from_message_start and not self.position:
            self.position = len(batch)
            batch[1:1] = turn.message_prefix()
            replayed_chunks.add(len(batch))
            return batch
        if batch is not None:
            self.position += len(batch)
            turn.reader_advanced()
            self._in_numbers = len(batch) > 1
        return batch

    async def _gather(self, rounds: int) -> None:
        """Gather chunks that come faster than writes go out; a lone one never waits."""
        times = [monotonic()]
        for _ in range(rounds):
            if self._turn.ended:
                return
            await asyncio.sleep(0)
            times.append(monotonic())
        # The slowest is left out: a pause of the whole process does not make the loop a busy one.
        slowest = max(after - before for before, after in pairwise(times))
        self._round = (times[-1] - times[0] - slowest) / (rounds - 1)
        self._is_flooded = self._turn.size - self.position >= FLOOD

    async def _more(self, seconds: float, chunks: int = 1) -> bool:
        """Wait for so many chunks, or the end. False when they did not come for that long."""
        loop = self._turn.loop
        # A bare timer, since `asyncio.timeout` would cost more than the rest of a lone chunk's way.
        timer = loop.call_later(seconds, self.wake, False)
        self._waiting = loop.create_future()
        self.wanted = self.position + chunks
        try:
            return await self._waiting
        finally:
            timer.cancel()
            self._waiting = None

    def wake(self, has_more: bool) -> None:
        """Wake the reader: there is more, the turn is over, or nothing came for long."""
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(has_more)

    @property
    def is_done(self) -> bool:
        """Return whether it has read everything, to the end."""
        return self._turn.ended and self.position == self._turn.size

    def close(self) -> None:
        """Leave the turn: this reader holds nothing back any more."""
        if untaken := self._turn.size - self.position:
            is_slow = untaken >= MAX_WAITING or self._turn.since(self.position) is None
            dropped_chunks.add(untaken, {WHY: "slow" if is_slow else "closed"})
        self._turn.remove_reader(self)


def new_message_id() -> str:
    """Make the id of an assistant message that is about to begin."""
    return f"msg-{token_hex(12)}"
