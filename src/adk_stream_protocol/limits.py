"""Limits: what a client can make the server hold, do or wait for. All of it, in one place."""

from dataclasses import dataclass, field, fields

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds for everything that a client influences; `mount(..., limits=Limits(...))`.

    Each is checked before anything is built from what it bounds. Times are in seconds.
    """

    body: int = 10 * MIB
    """Bytes of a body or a frame."""
    depth: int = 32
    """Levels of lists and objects in JSON."""
    values: int = 200_000
    """Values in one body or frame: a page sends its whole conversation each time."""
    keys: int = 10_000
    """Keys of one object."""
    messages: int = 10_000
    """Messages in one body."""
    parts: int = 2_000
    """Parts of the message that a request is about."""
    answers: int = 256
    """Answers to calls in one request."""
    text: int = 10_000_000
    """Characters of one text of a user."""
    name: int = 256
    """Characters of an id or a name that a client chooses, the id of a chat (128) excepted."""
    request_id: int = 128
    """Characters of the `requestId` of a frame, which is repeated in every frame of its turn."""
    reason: int = 1_000
    """Characters of the reason for a decision. The rest is cut off."""
    echo: int = 1_024
    """Bytes of a ping that are sent back."""
    files: int = 16
    """Files of one message."""
    file: int = 7 * MIB
    """Bytes of one file."""
    pixels: int = 50_000_000
    """Pixels of one picture."""
    file_hosts: frozenset[str] = field(default_factory=frozenset[str])
    """Hosts from which the model may fetch files that a message names. None by default."""

    turns_per_user: int = 32
    """Turns of one principal that run at the same time, or have ended and are still being read."""
    live_chats_per_user: int = 256
    """Live chats of one principal."""
    live_chats_per_socket: int = 16
    """Live chats that one socket keeps going. The one used longest ago is let go first."""
    sockets_per_user: int = 64
    """Sockets of one principal on one worker."""
    readers_per_user: int = 128
    """Event streams of one principal on one worker."""
    approvals_per_turn: int = 16
    """Open approval requests of one turn."""
    denials_per_turn: int = 3
    """Denials of one tool in a turn, before the model is told to stop asking."""
    approvals_per_user: int = 256
    """Open approval requests of one principal."""
    frames_per_second: float = 200.0
    """Frames of one socket, on average. Speech needs ten to fifty."""
    frames_at_once: int = 400
    """Frames of one socket in a burst."""

    recheck: float = 60.0
    """How often `identify` is asked again about an open socket."""
    socket_idle: float = 3_600.0
    """How long a socket may stay open while nothing is said in either direction."""
    socket_lifetime: float = 86_400.0
    """How long a socket may stay open at all. A client connects again."""
    stalled: float = 30.0
    """How long one write to a client may take before it counts as gone."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int | float) and not 0 < value < float("inf"):
                raise ValueError(f"Limits.{one.name} must be greater than 0, not {value}")


DEFAULT_LIMITS = Limits()
