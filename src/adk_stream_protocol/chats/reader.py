"""Reader: one way out of a turn, for a transport that sends whatever is waiting.

A chunk that comes alone is passed on at once. Chunks that come faster than they can be written are
gathered: a write costs as much as many chunks.
"""

import asyncio
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING

from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.telemetry.instruments import WHY, dropped_chunks, replayed_chunks

if TYPE_CHECKING:
    from adk_stream_protocol.chats.turn import Turn

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


class Reader:
    """One way out of a turn."""

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

    def __init__(self, turn: "Turn", from_message_start: bool) -> None:
        self._turn = turn
        self._from_message_start = from_message_start
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
        """Chunks that come faster than writes go out are gathered; a lone one never waits."""
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
        self._turn.remove_reader(self)
