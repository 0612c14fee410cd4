"""Turn: one running turn. ADK's side puts chunks in; a transport takes out whatever is waiting.

A turn goes on when its reader leaves: a payment under way is finished and recorded. A reader that
stalls holds the turn back only up to a bound and for a while; then it counts as gone.
"""

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

from adk_stream_protocol.convert.encode import TurnEncoder
from adk_stream_protocol.protocol.chunks import AnyChunk

MAX_WAITING = 2_000
STALL_SECONDS = 30.0
GATHER_ROUNDS = 12
"""How often the loop goes round before a write, while chunks come in numbers."""

_current: ContextVar["Turn | None"] = ContextVar("adk_stream_turn", default=None)


class Turn:
    """The chunks of a running turn on their way out."""

    def __init__(self, reference: str, chat: tuple[str, str]) -> None:
        self.reference = reference
        self.chat = chat
        self.task: asyncio.Task[None] | None = None
        self.encoder: TurnEncoder | None = None
        self._loop = asyncio.get_running_loop()
        self._waiting: list[AnyChunk] = []
        self._changed = asyncio.Event()
        self._taken = asyncio.Event()
        self._ended = False
        self._reader_gone = False

    def put(self, chunks: list[AnyChunk]) -> None:
        """Queue chunks for the reader."""
        if chunks and not self._reader_gone:
            self._waiting += chunks
            self._changed.set()

    def end(self, chunks: list[AnyChunk]) -> None:
        """Queue the last chunks."""
        self.put(chunks)
        self._ended = True
        self._changed.set()

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= MAX_WAITING

    async def room(self) -> None:
        """Wait until the reader has taken what is queued, or give it up."""
        self._taken.clear()
        try:
            async with asyncio.timeout(STALL_SECONDS):
                await self._taken.wait()
        except TimeoutError:
            self._reader_gone = True
            self._waiting.clear()

    async def batches(self, idle_seconds: float) -> AsyncIterator[list[AnyChunk]]:
        """Everything that is waiting, piece by piece; an empty piece when nothing came for long."""
        rounds = 0
        while True:
            if self._waiting:
                for _ in range(rounds):
                    await asyncio.sleep(0)
                batch, self._waiting = self._waiting, []
                self._taken.set()
                # Chunks that come faster than writes go out are gathered; a lone one never waits.
                rounds = GATHER_ROUNDS if len(batch) > 1 else 0
                yield batch
            elif self._ended:
                return
            else:
                self._changed.clear()
                try:
                    async with asyncio.timeout(idle_seconds):  # wait_for would make a task
                        await self._changed.wait()
                except TimeoutError:
                    yield []

    def detach(self) -> None:
        """Nobody reads this turn: its chunks are dropped."""
        self._reader_gone = True

    def enter(self) -> None:
        """Make this the turn of the current task and of the tools it runs."""
        _current.set(self)

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None:
        """Queue a data part, from whatever thread a tool runs in."""
        if self.encoder:
            chunks = self.encoder.data(name, data, id, transient)
            self._loop.call_soon_threadsafe(self.put, chunks)


def current_chat() -> tuple[str, str] | None:
    """The user and chat whose turn this task runs, if it runs one."""
    turn = _current.get()
    return turn.chat if turn else None


def stream_data(name: str, data: Any, *, id: str | None = None, transient: bool = False) -> None:
    """From inside a tool: send a `data-<name>` part to the chat at once, say for progress.

    A part with an `id` replaces the one sent before under the same name and id. A transient part
    reaches `onData` only. Outside a turn (a test of the tool alone) nothing happens.
    """
    if turn := _current.get():
        turn.put_data(name, data, id, transient)
