"""Relay: what the workers of one application say to each other about running chats.

Safety does not hang on it: the approval records decide what runs. A relay keeps two workers from
answering in one chat at the same time, and lets any of them resume, stop or answer what runs on
another. `LocalRelay` is the relay of a worker that is alone.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Protocol

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.workers.messages import Message, Reply, Request

Handle = Callable[[Message], Awaitable[Reply | None]]
"""Called with a message of another worker; returns the reply, if one is due."""
Followed = tuple[AsyncIterator[list[AnyChunk]], list[AnyChunk]]
"""The chunks of a turn as they come, and what its message held before."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The worker that a relay speaks for."""

    app: str
    process: str
    """Names its process among all hosts."""
    handle: Handle
    is_gone: Callable[[str], bool]
    """Whether a process is certain to be dead, as only its own host can say."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run a chat, until it is released or its holder dies."""

    chat: ChatId
    granted: bool = True
    """True if every worker respects it. False if the relay was away and it holds only here."""
    id: str = field(default_factory=lambda: token_hex(12))


class SourceReader(Protocol):
    """Reads a turn from its first chunk on."""

    async def next(self, idle_seconds: float) -> list[AnyChunk] | None: ...

    @property
    def is_done(self) -> bool: ...

    def close(self) -> None: ...


class Source(Protocol):
    """A running turn, which may be read more than once."""

    @property
    def chat_id(self) -> ChatId: ...

    @property
    def log(self) -> str: ...

    @property
    def ended(self) -> bool: ...

    @property
    def message_prefix(self) -> Callable[[], list[AnyChunk]]: ...

    def reader(self) -> SourceReader: ...


class Relay(Protocol):
    """Between the workers of one application."""

    def join(self, peer: Peer) -> None:
        """Name the worker that this relay is for, before all else."""

    async def listen(self) -> None:
        """Receive what other workers say from now on."""

    async def close(self) -> None:
        """Receive no more, and release everything."""

    async def claim(self, chat: ChatId) -> Lease | None:
        """Return the lease of a chat, or None while another worker has it."""

    def release(self, lease: Lease, log: str | None = None) -> asyncio.Future[None] | None:
        """Begin to release a lease, and hide the log of its turn from those who come later.

        Return what to wait for; None if there is nothing to wait for.
        """

    def new_log(self) -> str:
        """Make a name for the log of a turn, under which all workers find it."""
        ...

    def publish(self, source: Source) -> object:
        """Begin to let other workers read a turn under the name of its log."""

    async def follow(self, chat: ChatId, log: str | None = None) -> Followed | None:
        """Read the turn that runs in a chat on another worker, or wait for the one of a name."""

    async def broadcast(self, message: Message) -> None:
        """Send a message to all other workers."""

    async def request(self, message: Request) -> Reply | None:
        """Ask the worker that holds the chat. None: no other holds it, or it does not answer.

        Raises Unavailable if it cannot be found out who holds the chat.
        """


class LocalRelay:
    """The relay of one worker: there is nobody to talk to."""

    def join(self, peer: Peer) -> None:
        return None

    async def listen(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def claim(self, chat: ChatId) -> Lease | None:
        return Lease(chat, granted=False, id="")

    def release(self, lease: Lease, log: str | None = None) -> asyncio.Future[None] | None:
        return None

    def new_log(self) -> str:
        return ""

    def publish(self, source: Source) -> None:
        return None

    async def follow(self, chat: ChatId, log: str | None = None) -> Followed | None:
        return None

    async def broadcast(self, message: Message) -> None:
        return None

    async def request(self, message: Request) -> Reply | None:
        return None
