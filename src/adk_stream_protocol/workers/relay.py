"""Relay: what the workers of one application tell each other about running chats.

One worker alone needs none of it, and `LocalRelay` does nothing. Safety does not hang on it: the
approval records decide what runs. A relay keeps two workers from answering in one chat at once,
and lets any of them resume, stop or answer what runs on another.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Protocol

from adk_stream_protocol.protocol.chunks import AnyChunk

Chat = tuple[str, str]
"""A principal's id and a chat id."""
Answer = dict[str, Any]
Heard = Callable[[str, dict[str, Any]], Awaitable[Answer | None]]
"""Called with the kind of a message and its body; what it returns is the answer, if one is due."""
Followed = tuple[AsyncIterator[list[AnyChunk]], list[AnyChunk]]
"""The chunks of a turn as they come, and what its message held before."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The worker that a relay speaks for."""

    app: str
    process: str
    """Names its process among all hosts."""
    heard: Heard
    is_gone: Callable[[str], bool]
    """Whether a process is certain to be dead, as only its own host can tell."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run a chat, until it is given back or its holder dies."""

    chat: Chat
    granted: bool = True
    """Nobody else has it. Else nobody could be asked, and each worker goes by itself."""
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
    def chat(self) -> Chat: ...

    @property
    def ended(self) -> bool: ...

    @property
    def earlier(self) -> Callable[[], list[AnyChunk]]: ...

    def reader(self) -> SourceReader: ...


class Relay(Protocol):
    """Between the workers of one application."""

    def join(self, peer: Peer) -> None:
        """Say who this is for, before all else."""

    async def listen(self) -> None:
        """Hear what other workers say from now on."""

    async def close(self) -> None:
        """Hear no more, and give everything back."""

    async def claim(self, chat: Chat) -> Lease | None:
        """The lease of a chat, or None while another worker has it."""

    async def release(self, lease: Lease, log: str | None = None) -> None:
        """Give a lease back, and hide the log of its turn from those who come from now on."""

    def new_log(self) -> str:
        """A name for the log of a turn, which all workers know it by."""
        ...

    async def publish(self, log: str, source: Source) -> None:
        """Let other workers read a running turn under this name."""

    async def follow(self, chat: Chat, log: str | None = None) -> Followed | None:
        """The turn that runs in a chat on another worker, or the one of a name, waited for."""

    async def tell(self, kind: str, body: dict[str, Any]) -> None:
        """Say something to all other workers."""

    async def ask(self, chat: Chat, kind: str, body: dict[str, Any]) -> Answer | None:
        """Ask the worker that holds a chat. None: no other holds it, or it does not answer."""


class LocalRelay:
    """One worker: there is nobody to talk to."""

    def join(self, peer: Peer) -> None:
        return None

    async def listen(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def claim(self, chat: Chat) -> Lease | None:
        return Lease(chat, granted=False)

    async def release(self, lease: Lease, log: str | None = None) -> None:
        return None

    def new_log(self) -> str:
        return ""

    async def publish(self, log: str, source: Source) -> None:
        return None

    async def follow(self, chat: Chat, log: str | None = None) -> Followed | None:
        return None

    async def tell(self, kind: str, body: dict[str, Any]) -> None:
        return None

    async def ask(self, chat: Chat, kind: str, body: dict[str, Any]) -> Answer | None:
        return None
