"""mount: puts the routes of this package into an application of yours."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from adk_stream_protocol.runtime.chat import Chat
from adk_stream_protocol.runtime.runner import build_runner
from adk_stream_protocol.transports.http import Door, Identify, chat_endpoint, stop_endpoint


def mount(
    app: Starlette,
    agent: BaseAgent | App | Runner,
    *,
    identify: Identify,
    prefix: str = "",
    session_service: BaseSessionService | None = None,
    run_config: RunConfig | None = None,
    allowed_origins: Iterable[str] = (),
    max_body: int = 10 * 1024 * 1024,
    approval_ttl: float = 600,
    client_tool_ttl: float = 600,
) -> Chat:
    """Serve an agent to AI SDK clients under `prefix` of a Starlette or FastAPI app.

    `identify` gets the request and returns who is asking, or None. It has no default, so that
    nobody deploys without deciding. An agent or App needs a `session_service`; a Runner brings
    its own.
    """
    chat = Chat(
        build_runner(agent, session_service),
        run_config=run_config,
        approval_ttl=approval_ttl,
        client_tool_ttl=client_tool_ttl,
    )
    door = Door(identify, frozenset(allowed_origins), max_body)
    post = chat_endpoint(chat, door)
    app.router.routes += [
        Route(f"{prefix}/api/chat", post, methods=["POST"]),
        Route(f"{prefix}/stream", post, methods=["POST"]),
        Route(f"{prefix}/api/chat/{{chat_id}}/stop", stop_endpoint(chat, door), methods=["POST"]),
        Route(f"{prefix}/healthz", _health(chat), methods=["GET"]),
    ]
    _close_with(app, chat)
    return chat


def _health(chat: Chat) -> Any:
    versions = {name: version(name) for name in ("adk-stream-protocol", "google-adk")}

    async def healthz(request: Request) -> Response:
        stores = {"sessions": chat.session_store}
        return JSONResponse({"status": "ok", "versions": versions, "stores": stores})

    return healthz


def _close_with(app: Starlette, chat: Chat) -> None:
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(owner: Any) -> AsyncGenerator[Any]:
        async with inner(owner) as state:
            try:
                yield state
            finally:
                await chat.close()

    app.router.lifespan_context = lifespan
