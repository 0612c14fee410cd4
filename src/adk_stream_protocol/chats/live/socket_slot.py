"""SocketSlot: the socket that a live run is for, and the time it is given to come back."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from adk_stream_protocol.chats.turn import Turn


class LiveSocket(Protocol):
    """The socket that a chat is on."""

    def turn_started(self, turn: Turn) -> None:
        """The server began a turn of its own."""

    def replaced(self) -> None:
        """The chat was opened elsewhere."""


class SocketSlot:
    """The newest socket wins; when it is gone, the run is given up after a while."""

    def __init__(self, grace: float, give_up: Callable[[], None]) -> None:
        self._grace = grace
        self._give_up = give_up
        self._listener: LiveSocket | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_attached(self) -> bool:
        return self._listener is not None

    def attach(self, listener: LiveSocket) -> None:
        """A socket has come for this chat."""
        if self._listener and self._listener is not listener:
            self._listener.replaced()
        self._listener = listener
        self.stop()

    def replace(self) -> None:
        """The chat was opened on a socket of another worker."""
        if self._listener:
            self._listener.replaced()
            self._listener = None

    def detach(self, listener: LiveSocket) -> None:
        """The socket is gone. It may come back for a while."""
        if self._listener is listener:
            self._listener = None
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._grace, self._give_up)

    def announce(self, turn: Turn) -> None:
        """Tell the socket of a turn that it did not ask for."""
        if self._listener:
            self._listener.turn_started(turn)

    def stop(self) -> None:
        """Give up no more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
