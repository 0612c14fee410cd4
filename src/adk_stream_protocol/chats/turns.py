"""Turns: which chats have a turn running. One per chat, and a cap per user."""

from collections import Counter
from collections.abc import Callable
from secrets import token_hex

from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.errors import Busy, TooMany, Unavailable

Key = tuple[str, str]
"""A principal's id and a chat id."""


class Turns:
    """The running turns of one process."""

    def __init__(self, max_per_user: int, on_turn: Callable[[Turn], None]) -> None:
        self._max_per_user = max_per_user
        self._on_turn = on_turn
        self._running: dict[Key, Turn] = {}
        self._count: Counter[str] = Counter()
        self.closing = False

    def get(self, key: Key) -> Turn | None:
        return self._running.get(key)

    def keys(self) -> list[Key]:
        return list(self._running)

    def reserve(self, key: Key) -> Turn:
        """Begin a turn, or raise why not."""
        if self.closing:
            raise Unavailable("The server is going down. Please try again in a moment.")
        if key in self._running:
            raise Busy("A turn is already running in this chat.")
        if self._count[key[0]] >= self._max_per_user:
            raise TooMany("Too many turns are running for this user.")
        self._count[key[0]] += 1
        turn = self._running[key] = Turn(token_hex(4), key)
        self._on_turn(turn)
        return turn

    def drop(self, turn: Turn) -> None:
        """The turn never began."""
        self.release(turn)
        turn.end([])

    def release(self, turn: Turn) -> None:
        """The turn is over."""
        if self._running.get(turn.chat) is not turn:
            return
        del self._running[turn.chat]
        user_id = turn.chat[0]
        self._count[user_id] -= 1
        if not self._count[user_id]:
            del self._count[user_id]
