"""An ASGI app on a port of this machine, over TLS, in a thread of its own."""

import socket
import ssl
import time
from pathlib import Path
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

from adk_stream_protocol.recording.certificate import make_certificate
from adk_stream_protocol.recording.drop import DroppableHttp, DroppableSocket

_PATIENCE = 20.0


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
