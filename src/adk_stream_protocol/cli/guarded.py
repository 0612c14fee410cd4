"""Bounds what the server of the command bears from clients that have not signed in.

uvicorn 0.54 with httptools bounds neither the head of a request nor the time that a client takes
for it, and answers every ping. A reverse proxy does such things; the command may have none.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from websockets.frames import Frame

from adk_stream_protocol.transports.uvicorn import UVICORN, GatheringSockets, StallingHttp


@dataclass(frozen=True)
class ConnectionLimits:
    """Bounds of one connection, in bytes, seconds and numbers."""

    url: int = 8_192
    head: int = 65_536
    headers: int = 128
    head_seconds: float = 20.0
    """Until the head of a request is complete; a silent connection is closed then."""
    body_seconds: float = 20.0
    body_rate: int = 16_384
    """A body has `body_seconds`, and a second more for each `body_rate` bytes that have come."""
    linger_seconds: float = 5.0
    """For the rest of a body whose request has been answered."""
    controls: int = 60
    control_seconds: float = 20.0
    """Pings and pongs of a client within these seconds."""
    fragments: int = 1_024
    """Frames of one message."""


# A chunked body of single bytes has five bytes of framing for each.
_MOST_FRAMING = 8
_WORDS = {
    408: "The request took too long.",
    414: "The address is too long.",
    431: "The headers are too large.",
}


class _Refused(Exception):
    """Ends the parsing of a request."""


class GuardedHttp(StallingHttp):
    """uvicorn's protocol with bounds and deadlines, up to the end of a request's body."""

    limits = ConnectionLimits()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._status = 400
        self._received = 0
        self._body = 0
        self._in_head = self._is_handed_over = False
        self._body_began: float | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for a first request, but not for ever."""
        super().connection_made(transport)
        self._give(self.limits.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._give(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse, unless more has come that is no body than a request may have."""
        if self.transport.is_closing():
            return
        self._received += len(data)
        super().data_received(data)
        if self._is_handed_over:
            return
        framing = self._received - self._body
        if framing > self.limits.head + _MOST_FRAMING * self._body:
            self._refuse(431)
        elif self._is_idle():  # what came was no beginning of a request
            self._give(self.limits.head_seconds)

    def on_message_begin(self) -> None:
        """Begin the head of a request."""
        super().on_message_begin()
        self._received = self._body = 0
        self._in_head = True
        self._body_began = None
        self._give(self.limits.head_seconds)

    def on_url(self, url: bytes) -> None:
        """Bound the address, which may come in pieces."""
        super().on_url(url)
        if len(self.url) > self.limits.url:
            self._stop(414)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Bound the headers, and the trailers of a chunked body as well."""
        super().on_header(name, value)
        if len(self.headers) > self.limits.headers:
            self._stop(431)

    def on_headers_complete(self) -> None:
        """Begin the body, if the head is small enough."""
        if sum(len(name) + len(value) for name, value in self.headers) > self.limits.head:
            self._stop(431)
        self._in_head = False
        self._body_began = self.loop.time()
        self._give(self.limits.body_seconds)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count what comes: a body that comes fast has more time."""
        self._body += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Let the application take its time."""
        self._body_began = None
        self._give(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait a moment for the rest of a body that nobody reads any more."""
        super().on_response_complete()
        if self._body_began is not None and self.cycle.response_complete:
            self._give(self.limits.linger_seconds)
            self._body_began = None

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over: from now on its deadlines are those of a socket."""
        self._is_handed_over = True
        self._give(None)
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """Answer what was refused with its own status."""
        if self._status == 400:
            super().send_400_response(msg)
        else:
            self._refuse(self._status)

    def _stop(self, status: int) -> None:
        # httptools turns any exception of a callback into a parser error: `send_400_response`.
        self._status = status
        raise _Refused

    def _give(self, seconds: float | None) -> None:
        """Set the deadline that holds from now on."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._expire)

    def _is_idle(self) -> bool:
        """Tell whether nothing is being asked, and nothing would end the connection."""
        is_answering = self.cycle and not self.cycle.response_complete
        return self._deadline is None and not is_answering and not self.transport.is_closing()

    def _expire(self) -> None:
        self._deadline = None
        if self._in_head:
            self._refuse(408)
        elif self._body_began is None:
            self.transport.close()
        elif (seconds := self._seconds_left(self._body_began)) > 0:
            self._give(seconds)
        else:
            self._refuse(408)

    def _seconds_left(self, began: float) -> float:
        if self.flow.read_paused:  # the application is slow, not the client
            return self.limits.body_seconds
        seconds = self.limits.body_seconds + self._body / self.limits.body_rate
        return began + seconds - self.loop.time()

    def _refuse(self, status: int) -> None:
        """Answer, unless an answer has begun, and close."""
        self._give(None)
        if self.transport.is_closing():
            return
        is_answering = (
            self.cycle and self.cycle.response_started and not self.cycle.response_complete
        )
        if not is_answering:
            words = _WORDS[status].encode()
            head = f"content-length: {len(words)}\r\nconnection: close\r\n\r\n".encode()
            kind = b"content-type: text/plain; charset=utf-8\r\n"
            self.transport.write(STATUS_LINE[status] + kind + head + words)
        self.transport.close()


class GuardedSockets(GatheringSockets):
    """Live sockets that are closed (1008) by a flood of control frames or of fragments."""

    limits = ConnectionLimits()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._controls = 0
        self._counted_from = 0.0

    def handle_ping(self) -> None:
        """Answer, unless there are too many."""
        if self._is_patient():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take it, unless there are too many."""
        if self._is_patient():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Gather a message: the limit of its size does not count empty frames."""
        if len(self.frames) >= self.limits.fragments:
            self._fail("too many fragments")
        elif not self.close_sent:
            super().handle_cont(event)

    def _is_patient(self) -> bool:
        now = self.loop.time()
        if now - self._counted_from > self.limits.control_seconds:
            self._counted_from, self._controls = now, 0
        self._controls += 1
        if self._controls > self.limits.controls:
            self._fail("too many control frames")
        return not self.close_sent

    def _fail(self, reason: str) -> None:
        if not self.close_sent:
            self.conn.send_close(1008, reason)
            self.handle_parser_exception()


SERVER: dict[str, Any] = {**UVICORN, "http": GuardedHttp, "ws": GuardedSockets}
"""uvicorn settings of the command."""
