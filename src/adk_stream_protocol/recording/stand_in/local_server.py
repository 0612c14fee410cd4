"""An ASGI app on a port of this machine, over TLS, in a thread of its own.

Its connections can be broken off, as a failing network does.
"""

import socket
import ssl
import time
from asyncio import BaseTransport, Transport
from pathlib import Path
from threading import Thread
from typing import cast

import uvicorn
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from adk_stream_protocol.recording.stand_in.certificate import make_certificate

_PATIENCE = 20.0


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

    def shutdown(self) -> None:
        # uvicorn 0.54 would send a close frame to a peer that has closed in this moment, and fail.
        if not self.transport.is_closing():
            super().shutdown()


def drop(connection: HTTPConnection) -> None:
    """End the connection here: what was sent arrives, nothing follows, nobody says goodbye."""
    cast(BaseTransport, connection.scope["state"]["transport"]).close()


class LocalServer:
    """Serves from `start` to `stop`; its certificate is made for it."""

    def __init__(self, app: ASGIApp, folder: Path) -> None:
        self.certificate, self._key = make_certificate(folder)
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        self._server = uvicorn.Server(self._config(app))
        self._thread = Thread(target=self._server.run, args=[[self._socket]], daemon=True)

    def start(self) -> None:
        self._thread.start()
        deadline = time.monotonic() + _PATIENCE
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("a local server did not start")
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
        self._socket.close()
        if self._thread.is_alive():
            raise RuntimeError("a local server did not stop")

    def _config(self, app: ASGIApp) -> uvicorn.Config:
        return uvicorn.Config(
            app,
            loop="asyncio",
            http=DroppableHttp,
            ws=DroppableSocket,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            ssl_version=ssl.PROTOCOL_TLS_SERVER,
            ssl_certfile=self.certificate,
            ssl_keyfile=self._key,
            timeout_graceful_shutdown=1,
        )
