"""SocketSlot: the socket that a live run is for, and the time it is given to come back."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from adk_stream_protocol.chats.turn import Turn


class LiveSocket(Protocol):
    """The socket that a chat is on."""

    def turn_started(self, turn: Turn) -> None:
        """Begin to read a turn that the server began by itself."""

    def replaced(self) -> None:
        """Leave the chat, which was opened elsewhere."""


class SocketSlot:
    """The newest socket wins; when it is gone, the run is given up after a while."""

    def __init__(self, grace: float, give_up: Callable[[], None]) -> None:
        self._grace = grace
        self._give_up = give_up
        self._socket: LiveSocket | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_attached(self) -> bool:
        return self._socket is not None

    def attach(self, socket: LiveSocket) -> None:
        """Attach the newest socket of this chat. It replaces the one before."""
        if self._socket and self._socket is not socket:
            self._socket.replaced()
        self._socket = socket
        self.stop()

    def replace(self) -> None:
        """Detach the socket, as the chat was opened on a socket of another worker."""
        if self._socket:
            self._socket.replaced()
            self._socket = None

    def detach(self, socket: LiveSocket) -> None:
        """Detach a socket that is gone. It may come back for a while."""
        if self._socket is socket:
            self._socket = None
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._grace, self._give_up)

    def announce(self, turn: Turn) -> None:
        """Announce a turn to the socket that did not ask for it."""
        if self._socket:
            self._socket.turn_started(turn)

    def stop(self) -> None:
        """Stop the timer of the grace period."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
