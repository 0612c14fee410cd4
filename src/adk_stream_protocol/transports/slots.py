"""Slots: how much of something each principal has open on this worker."""

from collections import Counter, defaultdict
from typing import Protocol

from adk_stream_protocol.errors import TooMany


class Slots:
    """Counts what is open, up to a limit for each principal."""

    def __init__(self, most: int, refusal: str) -> None:
        self._most = most
        self._refusal = refusal
        self._taken: Counter[str] = Counter()

    def take(self, user: str) -> "Slot":
        """Count one more, or raise TooMany."""
        if self._taken[user] >= self._most:
            raise TooMany(self._refusal)
        self._taken[user] += 1
        return Slot(self, user)

    def give_back(self, user: str) -> None:
        """Count one less."""
        self._taken[user] -= 1
        if not self._taken[user]:
            del self._taken[user]


class Slot:
    """One of them. As a context it is given back at the end, unless it was kept."""

    def __init__(self, slots: Slots, user: str) -> None:
        self._slots = slots
        self._user = user
        self._is_kept = False

    def keep(self) -> "Slot":
        """Keep it beyond the context; `give_back` ends it then."""
        self._is_kept = True
        return self

    def give_back(self) -> None:
        """Make room for another one."""
        self._slots.give_back(self._user)

    def __enter__(self) -> "Slot":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_kept:
            self.give_back()


class SignedIn(Protocol):
    """Something that a principal has open."""

    def sign_out(self) -> None:
        """End at once."""
        ...


class OpenSockets:
    """The sockets of each principal."""

    def __init__(self, most: int) -> None:
        self.slots = Slots(most, "You have too many connections open.")
        self._open: defaultdict[str, set[SignedIn]] = defaultdict(set)

    def add(self, user: str, socket: SignedIn) -> None:
        """Know a socket that has been opened."""
        self._open[user].add(socket)

    def remove(self, user: str, socket: SignedIn) -> None:
        """Forget a socket that is gone."""
        self._open[user].discard(socket)
        if not self._open[user]:
            del self._open[user]

    def sign_out(self, user: str) -> None:
        """End all sockets of a principal."""
        for socket in list(self._open.get(user, ())):
            socket.sign_out()
