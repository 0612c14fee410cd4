"""Turn: one running turn. ADK's side puts chunks in; transports take out whatever is waiting.

A turn keeps its chunks while it runs, so that a reader may come late or twice. It goes on when its
readers leave: a payment under way is finished and recorded. A reader that stalls holds a request
turn back only up to a bound and for a while; then it counts as gone.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from contextvars import ContextVar
from time import monotonic
from typing import Any, Protocol

from adk_stream_protocol.convert.encode import TurnEncoder
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta, TextEnd
from adk_stream_protocol.runtime.observed_turns import UNOBSERVED, Entered
from adk_stream_protocol.runtime.signals import WHY, dropped_chunks, replayed_chunks

MAX_WAITING = 2_000
MAX_KEPT = 20_000
STALL_SECONDS = 30.0
GATHER_ROUNDS = 12
"""While chunks come in numbers the loop goes round so often before a write: a write costs as much
as many chunks.
"""
FLOOD, FLOOD_ROUNDS, FLOOD_SECONDS = 4, 64, 0.2
"""Once that many were gathered, the next write waits for as long as the loop takes to go round so
often, which is next to nothing unless the loop is busy, and for no longer than this.
"""


class Running(Protocol):
    """What runs a tool: a turn, or the live run behind many turns."""

    @property
    def chat(self) -> tuple[str, str]: ...

    @property
    def message_id(self) -> str: ...

    @property
    def observed(self) -> Entered: ...

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None: ...


_current: ContextVar[Running | None] = ContextVar("adk_stream_running", default=None)


class Turn:
    """The chunks of a running turn on their way out."""

    def __init__(self, reference: str, chat: tuple[str, str]) -> None:
        self.reference = reference
        self.chat = chat
        self.task: asyncio.Task[None] | None = None
        self.encoder: TurnEncoder | None = None
        self.loop = asyncio.get_running_loop()
        self._kept: list[AnyChunk] = []
        self._dropped = 0
        self._readers: set[Reader] = set()
        self._taken = asyncio.Event()
        self._detached = False
        self.ended = False
        self.observed = UNOBSERVED
        self.earlier: Callable[[], list[AnyChunk]] = list
        """What earlier turns have brought of the message that this one goes on with."""

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
        self.observed.end(chunks, self.size)

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

    async def room(self) -> None:
        """Wait until the slow readers have taken what is queued, or give them up."""
        try:
            async with asyncio.timeout(STALL_SECONDS):
                while self.is_full:
                    self._taken.clear()
                    await self._taken.wait()
        except TimeoutError:
            limit = self.size - MAX_WAITING
            self._readers = {one for one in self._readers if one.position > limit}

    async def read_out(self, seconds: float) -> None:
        """Wait until its readers have taken the end of it, but not for longer than this."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._readers:
                    self._taken.clear()
                    await self._taken.wait()

    def reader(self, *, whole: bool = False) -> "Reader":
        """A reader from the first chunk of the turn, or of its whole message. Close it."""
        reader = Reader(self, whole)
        self._readers.add(reader)
        return reader

    async def batches(
        self, idle_seconds: float, *, whole: bool = False
    ) -> AsyncIterator[list[AnyChunk]]:
        """Everything that is waiting, piece by piece; an empty piece when nothing came for long."""
        reader = self.reader(whole=whole)
        try:
            while (batch := await reader.next(idle_seconds)) is not None:
                yield batch
        finally:
            reader.close()

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

    def took(self) -> None:
        self._taken.set()

    def leave(self, reader: "Reader") -> None:
        self._readers.discard(reader)
        self._taken.set()


class Reader:
    """One way out of a turn."""

    __slots__ = (
        "_in_numbers",
        "_is_flooded",
        "_round",
        "_turn",
        "_waiting",
        "_whole",
        "position",
        "wanted",
    )

    def __init__(self, turn: Turn, whole: bool) -> None:
        self._turn = turn
        self._whole = whole
        self._waiting: asyncio.Future[bool] | None = None
        self._in_numbers = self._is_flooded = False
        self._round = 0.0
        self.position = 0
        self.wanted = 0
        """How many chunks the turn must have had before it is told of more."""

    async def next(self, idle_seconds: float) -> list[AnyChunk] | None:
        """All that is waiting; empty when nothing came for long; None at the end.

        A reader that fell so far behind that chunks are gone is at its end, but not done.
        """
        turn = self._turn
        if self._is_flooded and not turn.ended:
            await self._more(min(FLOOD_SECONDS, FLOOD_ROUNDS * self._round), FLOOD_ROUNDS)
        while turn.size <= self.position:
            if turn.ended:
                return None
            if not await self._more(idle_seconds):
                return []
        if self._in_numbers:
            await self._gather(2 if self._is_flooded else GATHER_ROUNDS)
        batch = turn.since(self.position)
        if batch and self._whole and not self.position:
            self.position = len(batch)
            batch[1:1] = turn.earlier()
            replayed_chunks.add(len(batch))
            return batch
        if batch is not None:
            self.position += len(batch)
            turn.took()
            self._in_numbers = len(batch) > 1
        return batch

    async def _gather(self, rounds: int) -> None:
        """Chunks that come faster than writes go out are gathered; a lone one never waits."""
        begun = monotonic()
        for _ in range(rounds):
            if self._turn.ended:
                break
            await asyncio.sleep(0)
        self._round = (monotonic() - begun) / rounds
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
        """There is more, the turn is over, or nothing came for long."""
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(has_more)

    @property
    def is_done(self) -> bool:
        """Whether it has read everything, to the end."""
        return self._turn.ended and self.position == self._turn.size

    def close(self) -> None:
        """This reader holds nothing back any more."""
        if untaken := self._turn.size - self.position:
            is_slow = untaken >= MAX_WAITING or self._turn.since(self.position) is None
            dropped_chunks.add(untaken, {WHY: "slow" if is_slow else "closed"})
        self._turn.leave(self)


def enter(running: Running) -> None:
    """Make this what the current task runs for, and the tools it calls."""
    _current.set(running)
    running.observed.enter()


def current_message_id() -> str:
    """The id of the message that this task makes, if it makes one."""
    running = _current.get()
    return running.message_id if running else ""


def current_run() -> Running | None:
    """What this task runs for, if it runs for a chat."""
    return _current.get()


def current_chat() -> tuple[str, str] | None:
    """The user and chat that this task runs for, if it runs for one."""
    running = _current.get()
    return running.chat if running else None


def stream_data(name: str, data: Any, *, id: str | None = None, transient: bool = False) -> None:
    """From inside a tool: send a `data-<name>` part to the chat at once, say for progress.

    A part with an `id` replaces the one sent before under the same name and id. A transient part
    reaches `onData` only. Outside a turn (a test of the tool alone) nothing happens.
    """
    if running := _current.get():
        running.put_data(name, data, id, transient)
