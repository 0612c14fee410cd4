"""Serving the demo: in this process, or in several workers that uvicorn keeps alive."""

from socket import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette

from adk_stream_protocol.runtime.chat import Chat

# With what running tools are given before, less than ten seconds pass until a process is gone.
GRACEFUL_SECONDS = 2
# A worker is not taken for hung while it still imports everything on a busy machine.
START_SECONDS = 120


class DrainingServer(uvicorn.Server):
    """Ends the running turns first: uvicorn would wait for their streams, not the reverse.

    For a server that ends without a signal; with one, the application drains by itself.
    """

    def __init__(self, config: uvicorn.Config, chat: Chat) -> None:
        super().__init__(config)
        self._chat = chat

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        await self._chat.close()
        await super().shutdown(sockets)


def serve(app: Starlette, host: str, port: int, max_body: int) -> None:
    """Serve in this process until a signal ends it."""
    config = uvicorn.Config(app, host=host, port=port, **_options(max_body))
    DrainingServer(config, app.state.chat).run()


def serve_many(factory: str, workers: int, host: str, port: int, max_body: int) -> None:
    """Serve in workers that each build the app; one that dies is replaced."""
    uvicorn.run(
        factory,
        factory=True,
        workers=workers,
        host=host,
        port=port,
        timeout_worker_healthcheck=START_SECONDS,
        **_options(max_body),
    )


def _options(max_body: int) -> dict[str, Any]:
    return {
        "log_config": None,
        "access_log": False,
        "timeout_graceful_shutdown": GRACEFUL_SECONDS,
        "ws": "websockets-sansio",
        "ws_max_size": max_body,
        "ws_per_message_deflate": False,
        "ws_ping_interval": 20,
        "ws_ping_timeout": 20,
    }
