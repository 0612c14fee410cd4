"""How uvicorn serves live chats well: `uvicorn.run(app, **UVICORN)`.

uvicorn hands each message to its transport, and uvloop writes each at once (uvicorn 0.54, uvloop
0.23). A write costs more than a message: here, what is sent at one go is written at one go.
"""

import asyncio
from typing import Any, cast

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


class GatheringSockets(WebSocketsSansIOProtocol):
    """uvicorn's `websockets-sansio`, on such a transport."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """uvicorn opened a socket."""
        gathering = GatheringTransport(cast(asyncio.Transport, transport), self.loop)
        super().connection_made(cast(asyncio.Transport, gathering))

    def shutdown(self) -> None:
        """Close the socket, unless its peer is closing it now: uvicorn 0.54 would fail on that."""
        if not self.transport.is_closing():
            super().shutdown()


UVICORN: dict[str, Any] = {
    "ws": GatheringSockets,
    "ws_per_message_deflate": False,
    "ws_ping_interval": 20.0,
    "ws_ping_timeout": 20.0,
}
"""uvicorn settings: batched writes, no compression, dead sockets detected within 40 s."""
