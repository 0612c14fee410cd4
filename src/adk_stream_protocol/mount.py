"""mount: puts the routes of this package into an application of yours."""

import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute

from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.approvals.store import ApprovalStore
from adk_stream_protocol.chats.archive import ChatArchive
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.draining import Draining
from adk_stream_protocol.chats.inbox import Inbox
from adk_stream_protocol.chats.live.settings import LiveOptions, live_settings
from adk_stream_protocol.limiter import Limiter
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.telemetry.calls import CallTelemetry
from adk_stream_protocol.transports.admission import Admission, Identify
from adk_stream_protocol.transports.approvals import decide_endpoint, list_endpoint
from adk_stream_protocol.transports.health import Readiness, health_endpoint
from adk_stream_protocol.transports.history import (
    chats_endpoint,
    delete_endpoint,
    messages_endpoint,
)
from adk_stream_protocol.transports.http import (
    chat_endpoint,
    resume_endpoint,
    stop_endpoint,
)
from adk_stream_protocol.transports.origins import Origins
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
    allowed_hosts: Iterable[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    limiter: Limiter | None = None,
    approval_ttl: float = 600,
    client_tool_ttl: float = 600,
    live: LiveOptions | None = None,
    relay: Relay | None = None,
) -> Chats:
    """Serve an agent to AI SDK clients under `prefix` of a Starlette or FastAPI app.

    `identify` gets the request and returns who is asking, or None. It has no default, so that
    nobody deploys without deciding. An agent or App needs a `session_service`; a Runner brings
    its own. Without an `approval_store` approvals are kept in memory, which is for tests.

    `allowed_hosts` are the names of this server, without ports. Unless it or a proxy before it
    checks them, a page on any name that leads here can act as whoever opened it.
    """
    if allowed_hosts is None:
        logger.warning("allowed_hosts is not set: requests to any name of this server are taken")
    store = approval_store or MemoryApprovalStore()
    level = logging.INFO if approval_store else logging.WARNING
    logger.log(level, "approval store %s: %s", type(store).__name__, store.promises)
    book = ApprovalBook(store, policies, ttl=approval_ttl, observer=CallTelemetry(), limits=limits)
    runner = build_runner(agent, session_service, book)
    chats = Chats(
        runner,
        book,
        run_config=run_config,
        client_tool_ttl=client_tool_ttl,
        limits=limits,
        live=live_settings(runner, live or LiveOptions(), client_tool_ttl),
        relay=relay,
    )
    stored = ChatArchive(runner, book, chats, client_tool_ttl=client_tool_ttl)
    inbox = Inbox(runner, book, chats)
    admission = Admission(identify, limits, Origins.of(allowed_origins, allowed_hosts), limiter)
    chats.on_sign_out(admission.sockets.sign_out)
    post, stop = chat_endpoint(chats, admission), stop_endpoint(chats, admission)
    app.router.routes += [
        Route(f"{prefix}/api/chat", post, methods=["POST"]),
        Route(f"{prefix}/stream", post, methods=["POST"]),
        Route(f"{prefix}/api/chat/{{chat_id}}/stream", resume_endpoint(chats, admission)),
        Route(f"{prefix}/api/chat/{{chat_id}}/stop", stop, methods=["POST"]),
        Route(f"{prefix}/api/approvals", list_endpoint(inbox, book, admission), methods=["GET"]),
        Route(
            f"{prefix}/api/approvals/{{approval_id}}",
            decide_endpoint(inbox, admission),
            methods=["POST"],
        ),
        Route(
            f"{prefix}/api/chat/{{chat_id:path}}/messages",
            messages_endpoint(stored, admission),
            methods=["GET"],
        ),
        Route(
            f"{prefix}/api/chat/{{chat_id:path}}",
            delete_endpoint(stored, admission),
            methods=["DELETE"],
        ),
        Route(f"{prefix}/api/chats", chats_endpoint(stored, admission), methods=["GET"]),
        WebSocketRoute(f"{prefix}/live", LiveEndpoint(chats, admission)),
        Route(f"{prefix}/healthz", health_endpoint(chats), methods=["GET"]),
        Route(f"{prefix}/readyz", Readiness(chats).endpoint, methods=["GET"]),
    ]
    _close_with(app, chats)
    return chats


def _close_with(app: Starlette, chats: Chats) -> None:
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(owner: Any) -> AsyncGenerator[Any]:
        async with inner(owner) as state:
            await chats.start()
            try:
                with Draining(chats.close):
                    yield state
            finally:
                await chats.close()
                await chats.book.store.close()

    app.router.lifespan_context = lifespan
