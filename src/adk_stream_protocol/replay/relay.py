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


Earlier = Callable[[], list[AnyChunk]]
"""What a message held before its running turn."""
Followed = tuple[AsyncIterator[list[AnyChunk]], list[AnyChunk]]
"""The chunks of a turn as they come, and what its message held before."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run a chat, until it is given back or its holder dies."""

    chat: Chat
    id: str = field(default_factory=lambda: token_hex(12))


class Relay(Protocol):
    """Between the workers of one application."""

    async def listen(self, heard: Heard) -> None:
        """Begin to hear what other workers say."""

    async def close(self) -> None:
        """Hear no more, and give everything back."""

    async def claim(self, chat: Chat) -> Lease | None:
        """The lease of a chat, or None while another worker has it."""

    async def release(self, lease: Lease) -> None:
        """Give a lease back."""

    async def publish(
        self, chat: Chat, batches: AsyncIterator[list[AnyChunk]], earlier: Earlier
    ) -> None:
        """Let other workers read a running turn, and what its message held before."""

    async def follow(self, chat: Chat, patience: float = 0.0) -> Followed | None:
        """A turn that runs on another worker, once it is there."""

    async def tell(self, kind: str, body: dict[str, Any]) -> None:
        """Say something to all other workers."""

    async def ask(self, chat: Chat, kind: str, body: dict[str, Any]) -> Answer | None:
        """Ask the worker that holds a chat. None: nobody holds it, or it does not answer."""


class LocalRelay:
    """One worker: there is nobody to talk to."""

    async def listen(self, heard: Heard) -> None:
        return None

    async def close(self) -> None:
        return None

    async def claim(self, chat: Chat) -> Lease | None:
        return Lease(chat, "")

    async def release(self, lease: Lease) -> None:
        return None

    async def publish(
        self, chat: Chat, batches: AsyncIterator[list[AnyChunk]], earlier: Earlier
    ) -> None:
        return None

    async def follow(self, chat: Chat, patience: float = 0.0) -> Followed | None:
        return None

    async def tell(self, kind: str, body: dict[str, Any]) -> None:
        return None

    async def ask(self, chat: Chat, kind: str, body: dict[str, Any]) -> Answer | None:
        return None
