"""Connections that a handler can break off, as a failing network does."""

from asyncio import BaseTransport, Transport
from typing import cast

from starlette.requests import HTTPConnection
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class DroppableHttp(H11Protocol):
    """HTTP, with its transport in the state of each request."""

    def connection_made(self, transport: Transport) -> None:
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)


class DroppableSocket(WebSocketsSansIOProtocol):
    """A WebSocket, with its transport in the state of the connection."""

    def connection_made(self, transport: BaseTransport) -> None:
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)


def drop(connection: HTTPConnection) -> None:
    """End the connection here: what was sent arrives, nothing follows, nobody says goodbye."""
    cast(BaseTransport, connection.scope["state"]["transport"]).close()
