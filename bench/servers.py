"""The servers that are compared, each run as a child process: `python -m bench.servers NAME`.

Same agent, same scripted model, sessions in memory; the child prints its port and serves.
"""

import gc
import logging
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson
import uvicorn
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.cli.fast_api import get_fast_api_app
from google.adk.cli.service_registry import get_service_registry
from google.adk.cli.utils.base_agent_loader import BaseAgentLoader
from google.adk.events import Event
from google.adk.runners import Runner
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from adk_stream_protocol.transports.uvicorn import UVICORN
from bench.fleet import COLLECT, FORGET, SOAKED
from bench.floor import FINISH, START, Floor
from bench.model import APP_NAME, bench_agent, user_message
from bench.sessions import SESSIONS

EVENT_STREAM = "text/event-stream"


def project() -> ASGIApp:
    """This project."""
    from adk_stream_protocol import mount

    app = Starlette()
    mount(app, bench_agent(), identify=_user, session_service=SESSIONS)
    return app


def bare() -> ASGIApp:
    """A streaming response with no ADK behind it: the time to the first chunk without a bridge."""

    async def chunks() -> AsyncIterator[bytes]:
        yield START
        yield FINISH

    async def endpoint(request: Request) -> StreamingResponse:
        orjson.loads(await request.body())
        return StreamingResponse(chunks(), media_type=EVENT_STREAM)

    return Starlette(routes=[Route("/api/chat", endpoint, methods=["POST"])])


def adk_alone() -> ASGIApp:
    """The same ADK turn with ADK's defaults, its events dropped; one chunk at the end."""

    return _behind_adk(_dropped)


def adk_resumable() -> ASGIApp:
    """The same with a resumable app, which approvals need: one more stored event per turn."""
    return _behind_adk(_dropped, resumable=True)


async def _dropped(events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    async for _ in events:
        pass
    yield FINISH


def floor() -> ASGIApp:
    """ADK's defaults, the hand-written conversion, one send per event."""

    async def chunks(events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
        encoder = Floor()
        yield encoder.start()
        async for event in events:
            yield encoder.encode(event)
        yield encoder.finish()

    return _behind_adk(chunks)


def adk_server() -> ASGIApp:
    """ADK's own server and its `/run_sse`."""
    return adk_fast_api(bench_agent())


def adk_fast_api(agent: LlmAgent) -> ASGIApp:
    """ADK's own server around an agent."""

    class OneAgent(BaseAgentLoader):
        def load_agent(self, agent_name: str):
            return agent

        def list_agents(self) -> list[str]:
            return [APP_NAME]

    registry = get_service_registry()
    registry.register_session_service("bench", lambda uri, **_: SESSIONS)
    return get_fast_api_app(
        agents_dir=tempfile.mkdtemp(prefix="bench-agents-"),
        agent_loader=OneAgent(),
        session_service_uri="bench://",
        artifact_service_uri="memory://",
        memory_service_uri="memory://",
        use_local_storage=False,
        web=False,
        auto_create_session=True,
    )


def ag_ui_adk() -> ASGIApp:
    """ag-ui-adk's endpoint, with room for as many runs as the load asks for."""
    from ag_ui_adk import ADKAgent, add_adk_fastapi_endpoint
    from fastapi import FastAPI

    logging.getLogger("ag_ui_adk").setLevel(logging.ERROR)
    agent = ADKAgent(
        adk_agent=bench_agent(),
        app_name=APP_NAME,
        user_id="user",
        session_service=SESSIONS,
        max_concurrent_executions=1000,
    )
    app = FastAPI()
    add_adk_fastapi_endpoint(app, agent, path="/api/chat")
    return app


SERVERS: dict[str, Callable[[], ASGIApp]] = {
    "this project": project,
    SOAKED: project,
    "bare": bare,
    "ADK alone": adk_alone,
    "ADK alone, resumable": adk_resumable,
    "floor": floor,
    "ADK /run_sse": adk_server,
    "ag-ui-adk": ag_ui_adk,
}


def _behind_adk(
    chunks: Callable[[AsyncIterator[Event]], AsyncIterator[bytes]], *, resumable: bool = False
) -> ASGIApp:
    resumability = ResumabilityConfig(is_resumable=True) if resumable else None
    adk_app = App(name=APP_NAME, root_agent=bench_agent(), resumability_config=resumability)
    runner = Runner(app=adk_app, session_service=SESSIONS, auto_create_session=True)

    async def endpoint(request: Request) -> StreamingResponse:
        body = orjson.loads(await request.body())
        events = runner.run_async(
            user_id=_user(request),
            session_id=body["id"],
            new_message=user_message(body["messages"][-1]["parts"][0]["text"]),
            run_config=RunConfig(streaming_mode=StreamingMode.SSE),
        )
        return StreamingResponse(chunks(events), media_type=EVENT_STREAM)

    return Starlette(routes=[Route("/api/chat", endpoint, methods=["POST"])])


def _user(request: Request) -> str:
    return request.headers["x-user"]


def _forgetting(app: ASGIApp) -> ASGIApp:
    """Add paths that collect garbage, and that empty the sessions: no server carries more.

    They answer how many blocks of memory Python has given out.
    """

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") not in (FORGET, COLLECT):
            return await app(scope, receive, send)
        if scope["path"] == FORGET:
            SESSIONS.sessions.clear()
        gc.collect()
        await Response(f"data: {sys.getallocatedblocks()}")(scope, receive, send)

    return served


def rare_collections() -> None:
    """Keep garbage collections rare, for all servers alike.

    A full one costs more than a turn and falls on whichever server is at it. They are made up for
    between the measurements.
    """
    gc.set_threshold(1_000_000, 100, 100)


def serve(app: ASGIApp, **options: Any) -> None:
    """Serve until the parent ends the process."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        _forgetting(app),
        loop="uvloop",
        http="httptools",
        log_level="error",
        access_log=False,
        lifespan="auto",
        **{**UVICORN, **options},
    )
    uvicorn.Server(config).run(sockets=[listener])


def main() -> None:
    """Serve one of the above."""
    logging.disable(logging.WARNING)
    app = SERVERS[sys.argv[1]]()
    if sys.argv[1] != SOAKED:
        rare_collections()
    serve(app)


if __name__ == "__main__":
    main()
