"""mount: puts the routes of this package into an application of yours."""

import logging
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
from starlette.routing import Route, WebSocketRoute

from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.approvals.store import ApprovalStore
from adk_stream_protocol.chats.archive import Conversations
from adk_stream_protocol.chats.chats import Chat
from adk_stream_protocol.chats.draining import Draining
from adk_stream_protocol.chats.inbox import Inbox
from adk_stream_protocol.chats.live.settings import LiveOptions, live_settings
from adk_stream_protocol.telemetry.calls import CallTelemetry
from adk_stream_protocol.transports.approvals import decide_endpoint, list_endpoint
from adk_stream_protocol.transports.history import (
    chats_endpoint,
    delete_endpoint,
    messages_endpoint,
)
from adk_stream_protocol.transports.http import (
    Door,
    Identify,
    chat_endpoint,
    resume_endpoint,
    stop_endpoint,
)
from adk_stream_protocol.transports.websocket import LiveEndpoint
from adk_stream_protocol.workers.relay import Relay

logger = logging.getLogger(__name__)


def mount(
    app: Starlette,
    agent: BaseAgent | App | Runner,
    *,
    identify: Identify,
    prefix: str = "",
    session_service: BaseSessionService | None = None,
    approval_store: ApprovalStore | None = None,
    policies: Iterable[ApprovalPolicy] = (),
    run_config: RunConfig | None = None,
    allowed_origins: Iterable[str] = (),
    max_body: int = 10 * 1024 * 1024,
    approval_ttl: float = 600,
    client_tool_ttl: float = 600,
    live: LiveOptions | None = None,
    relay: Relay | None = None,
) -> Chat:
    """Serve an agent to AI SDK clients under `prefix` of a Starlette or FastAPI app.

    `identify` gets the request and returns who is asking, or None. It has no default, so that
    nobody deploys without deciding. An agent or App needs a `session_service`; a Runner brings
    its own. Without an `approval_store` approvals are kept in memory, which is for tests.
    """
    store = approval_store or MemoryApprovalStore()
    level = logging.INFO if approval_store else logging.WARNING
    logger.log(level, "approval store %s: %s", type(store).__name__, store.promises)
    approvals = ApprovalBook(store, policies, ttl=approval_ttl, observer=CallTelemetry())
    runner = build_runner(agent, session_service, approvals)
    chat = Chat(
        runner,
        approvals,
        run_config=run_config,
        client_tool_ttl=client_tool_ttl,
        live=live_settings(runner, live or LiveOptions(), client_tool_ttl),
        relay=relay,
    )
    stored = Conversations(runner, approvals, chat, client_tool_ttl=client_tool_ttl)
    inbox = Inbox(runner, approvals, chat)
    door = Door(identify, frozenset(allowed_origins), max_body)
    post = chat_endpoint(chat, door)
    app.router.routes += [
        Route(f"{prefix}/api/chat", post, methods=["POST"]),
        Route(f"{prefix}/stream", post, methods=["POST"]),
        Route(f"{prefix}/api/chat/{{chat_id}}/stream", resume_endpoint(chat, door)),
        Route(f"{prefix}/api/chat/{{chat_id}}/stop", stop_endpoint(chat, door), methods=["POST"]),
        Route(f"{prefix}/api/approvals", list_endpoint(inbox, approvals, door), methods=["GET"]),
        Route(
            f"{prefix}/api/approvals/{{approval_id}}",
            decide_endpoint(inbox, door),
            methods=["POST"],
        ),
        Route(
            f"{prefix}/api/chat/{{chat_id:path}}/messages",
            messages_endpoint(stored, door),
            methods=["GET"],
        ),
        Route(
            f"{prefix}/api/chat/{{chat_id:path}}",
            delete_endpoint(stored, door),
            methods=["DELETE"],
        ),
        Route(f"{prefix}/api/chats", chats_endpoint(stored, door), methods=["GET"]),
        WebSocketRoute(f"{prefix}/live", LiveEndpoint(chat, door)),
        Route(f"{prefix}/healthz", _health(chat), methods=["GET"]),
    ]
    _close_with(app, chat)
    return chat


def _health(chat: Chat) -> Any:
    versions = {name: version(name) for name in ("adk-stream-protocol", "google-adk")}

    async def healthz(request: Request) -> Response:
        stores = {"sessions": chat.session_store, "approvals": chat.approval_store}
        return JSONResponse({"status": "ok", "versions": versions, "stores": stores})

    return healthz


def _close_with(app: Starlette, chat: Chat) -> None:
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(owner: Any) -> AsyncGenerator[Any]:
        async with inner(owner) as state:
            await chat.start()
            try:
                with Draining(chat.close):
                    yield state
            finally:
                await chat.close()
                await chat.approvals.store.close()

    app.router.lifespan_context = lifespan
