"""Reads server-sent events from the pieces in which they arrive."""

from collections.abc import Iterator


class SseReader:
    """Keeps what is not a whole event yet."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The data of each event that is complete now."""
        self._rest = (self._rest + piece).replace(b"\r\n", b"\n")
        *events, self._rest = self._rest.split(b"\n\n")
        for event in events:
            lines = [line for line in event.split(b"\n") if line.startswith(b"data:")]
            if lines:
                yield b"\n".join(line[len(b"data:") :].strip() for line in lines)
