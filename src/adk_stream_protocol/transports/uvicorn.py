"""How uvicorn serves live chats well: `uvicorn.run(app, **UVICORN)`.

uvicorn hands each message to its transport, and uvloop writes each at once (uvicorn 0.54, uvloop
0.23). A write costs more than a message: here, what is sent at one go is written at one go.
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MAX_GATHERED = 65_536
"""With so many bytes it is written at once, so that the transport can say that it is full."""


class GatheringTransport:
    """A transport that writes once each time the event loop goes round."""

    __slots__ = ("_gathered", "_loop", "_size", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._gathered: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write soon, together with whatever else is written until then."""
        if not self._gathered:
            self._loop.call_soon(self._write)
        self._gathered.append(data)
        self._size += len(data)
        if self._size >= MAX_GATHERED:
            self._write()

    def close(self) -> None:
        """Close after what is gathered."""
        self._write()
        self._transport.close()

    def _write(self) -> None:
        gathered, self._gathered, self._size = self._gathered, [], 0
        if gathered and not self._transport.is_closing():
            self._transport.write(b"".join(gathered))


class StallGuard(asyncio.Protocol):
    """Cuts a connection whose client takes nothing. To close it is not enough: that waits too."""

    stalled = 35.0
    """Seconds in which a full buffer must become half empty."""
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _patience: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Begin to wait: the buffer is full."""
        super().pause_writing()
        self._patience = self.loop.call_later(self.stalled, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop waiting: the client has taken something."""
        self._lose_patience()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting: the connection is gone."""
        self._lose_patience()
        super().connection_lost(exc)

    def _lose_patience(self) -> None:
        if self._patience:
            self._patience.cancel()


class StallingHttp(StallGuard, HttpToolsProtocol):
    """uvicorn's protocol for HTTP, without connections that nobody reads."""


class GatheringSockets(StallGuard, WebSocketsSansIOProtocol):
    """uvicorn's `websockets-sansio`, on such a transport."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """uvicorn opened a socket."""
        gathering = GatheringTransport(cast(asyncio.Transport, transport), self.loop)
        super().connection_made(cast(asyncio.Transport, gathering))

    async def run_asgi(self) -> None:
        """Run the application. uvicorn 0.54 logs every refused handshake as one that failed."""
        app = self.app

        async def run(scope: Any, receive: Any, send: Any) -> None:
            await app(scope, receive, send)
            if self.initial_response is not None:  # it was refused, and that is an answer
                self.handshake_complete = True

        self.app = run
        await super().run_asgi()

    def send_receive_event_to_app(self) -> None:
        """Pass a message on. uvicorn 0.54 logs text that is not UTF-8 as an error of the server."""
        if self.curr_msg_data_type == "text" and not all(map(_is_text, self.frames)):
            whole = b"".join(self.frames)  # a letter may be cut in two
            self.frames = [whole]
            if not _is_text(whole):
                self._refuse_text()
                return
        super().send_receive_event_to_app()

    def _refuse_text(self) -> None:
        self.frames = []
        if not self.close_sent:
            self.conn.send_close(1007)
            self.handle_parser_exception()

    def shutdown(self) -> None:
        """Close the socket, unless its peer is closing it now: uvicorn 0.54 would fail on that."""
        if not self.transport.is_closing():
            super().shutdown()


def _is_text(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


UVICORN: dict[str, Any] = {
    "http": StallingHttp,
    "ws": GatheringSockets,
    "ws_per_message_deflate": False,
    "ws_ping_interval": 20.0,
    "ws_ping_timeout": 20.0,
}
"""uvicorn settings: batched writes, no compression, dead and stalled clients found within 40 s."""
