"""The live servers that are compared, each a child process: `python -m bench.live_servers NAME`.

Same agent, same live model, sessions in memory, one WebSocket implementation without deflate; the
child prints its port and serves. With `plain` after the name, garbage is collected as usual.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from contextlib import suppress

import orjson
from google.adk.agents.live_request_queue import LiveRequestQueue
from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from google.adk.events import Event
from google.adk.runners import Runner
from google.genai import types
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from bench.live_model import live_agent
from bench.model import APP_NAME, user_message
from bench.servers import SESSIONS, adk_fast_api, rare_collections, serve

DONE = "data: [DONE]\n\n"
STOCK = "this project on uvicorn's own sockets"
Wire = Callable[[Event], str | None]


def project() -> ASGIApp:
    """This project."""
    from adk_stream_protocol import mount
    from adk_stream_protocol.chats.live.settings import LiveOptions

    app = Starlette()
    live = LiveOptions(modality="text", disconnect_grace=0)
    mount(app, live_agent(), identify=_user, session_service=SESSIONS, live=live)
    return app


def bare() -> ASGIApp:
    """A socket with nothing behind it."""

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                await websocket.receive_text()
                await websocket.send_text(DONE)

    return Starlette(routes=[WebSocketRoute("/live", endpoint)])


def alone() -> ASGIApp:
    """ADK's `run_live` with its defaults, its events dropped; one message at the end of a turn."""
    return _behind_adk(lambda event: DONE if event.turn_complete else None)


def naive() -> ASGIApp:
    """The least a hand-written bridge does, one message per event."""

    def wire(event: Event) -> str | None:
        if event.turn_complete:
            return DONE
        if not event.partial:
            return None
        said = event.output_transcription or event.content.parts[0]
        delta = orjson.dumps(said.text).decode()
        return f'data: {{"type":"text-delta","id":"1","delta":{delta}}}\n\n'

    return _behind_adk(wire)


def adk_server() -> ASGIApp:
    """ADK's own server and its `/run_live`."""
    return adk_fast_api(live_agent())


SERVERS: dict[str, Callable[[], ASGIApp]] = {
    "this project": project,
    STOCK: project,
    "bare": bare,
    "run_live alone": alone,
    "one message per event": naive,
    "ADK /run_live": adk_server,
}


def _behind_adk(wire: Wire) -> ASGIApp:
    adk_app = App(name=APP_NAME, root_agent=live_agent())
    runner = Runner(app=adk_app, session_service=SESSIONS, auto_create_session=True)

    async def pass_on(websocket: WebSocket, queue: LiveRequestQueue) -> None:
        events = runner.run_live(
            user_id=_user(websocket),
            session_id=websocket.query_params["chatId"],
            live_request_queue=queue,
            run_config=RunConfig(response_modalities=[types.Modality.TEXT]),
        )
        async for event in events:
            if text := wire(event):
                await websocket.send_text(text)

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        queue = LiveRequestQueue()
        running = asyncio.create_task(pass_on(websocket, queue))
        with suppress(WebSocketDisconnect):
            while True:
                frame = orjson.loads(await websocket.receive_text())
                queue.send_content(user_message(frame["messages"][-1]["parts"][0]["text"]))
        queue.close()
        await running

    return Starlette(routes=[WebSocketRoute("/live", endpoint)])


def _user(websocket: WebSocket) -> str:
    return websocket.headers["x-user"]


def main() -> None:
    """Serve until the parent ends the process."""
    logging.disable(logging.WARNING)
    app = SERVERS[sys.argv[1]]()
    if "plain" not in sys.argv:
        rare_collections()
    gc.collect()
    serve(app, **({"ws": "websockets-sansio"} if sys.argv[1] == STOCK else {}))


if __name__ == "__main__":
    main()
