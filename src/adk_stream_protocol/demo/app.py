"""The demo server: the demo agent behind `mount`, and its page on `/`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.base_llm import BaseLlm
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.database_session_service import DatabaseSessionService
from sqlalchemy import event, make_url
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from adk_stream_protocol.approvals.sql import SqlApprovalStore, harden_sqlite
from adk_stream_protocol.chats.live.settings import LiveOptions
from adk_stream_protocol.demo.agent import POLICIES, build_agent
from adk_stream_protocol.demo.identity import demo_identify, load_secret
from adk_stream_protocol.demo.page import page_routes
from adk_stream_protocol.demo.state import prepare_state
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.mount import mount
from adk_stream_protocol.workers.relay import Relay

LOOPBACK = ("localhost", "*.localhost", "127.0.0.1", "[::1]")
"""The names under which a computer reaches itself."""


@dataclass(frozen=True)
class DemoSettings:
    """The settings from the command line and the environment."""

    state: Path
    database_url: str | None = None
    redis_url: str | None = None
    model: BaseLlm | str | None = None
    payment_sink_url: str | None = None
    users: tuple[str, ...] = ("alice", "bob", "carol")
    allowed_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] | None = None
    max_body: int = 10 * 1024 * 1024
    approval_ttl: float = 600
    client_tool_ttl: float = 600
    recent_events: int | None = None
    live_model: BaseLlm | str | None = None
    live_calls: Literal["sequential", "parallel"] = "sequential"
    disconnect_grace: float = 30.0

    @property
    def sessions_url(self) -> str:
        return self._url("sessions")

    @property
    def approvals_url(self) -> str:
        return self._url("approvals")

    @property
    def files(self) -> list[Path]:
        """The SQLite files that the demo writes."""
        files = [self.state / "wallet.sqlite3"]
        for address in map(make_url, {self.sessions_url, self.approvals_url}):
            place = address.database if address.drivername.startswith("sqlite") else None
            if place and not place.startswith((":memory:", "file:")):
                files.append(Path(place))
        return files

    def _url(self, name: str) -> str:
        return self.database_url or f"sqlite+aiosqlite:///{self.state / name}.sqlite3"


def build_app(settings: DemoSettings) -> Starlette:
    """Build the demo as an ASGI app."""
    prepare_state(settings.state, settings.files)
    wallet = Wallet(settings.state, sink_url=settings.payment_sink_url)
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.allowed_origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["authorization", "content-type"],
        allow_credentials=True,
    )
    secret = load_secret(settings.state)
    sessions = _sessions(settings.sessions_url)

    @asynccontextmanager
    async def closing_sessions(app: Starlette) -> AsyncGenerator[None]:
        async with sessions:
            yield

    app = Starlette(
        routes=page_routes(secret),
        middleware=[cors] if settings.allowed_origins else [],
        lifespan=closing_sessions,
    )
    app.state.chats = mount(
        app,
        build_agent(wallet=wallet, model=settings.model),
        identify=demo_identify(settings.users, secret),
        session_service=sessions,
        approval_store=SqlApprovalStore(settings.approvals_url),
        policies=POLICIES,
        run_config=_run_config(settings),
        allowed_origins=settings.allowed_origins,
        allowed_hosts=settings.allowed_hosts,
        limits=Limits(body=settings.max_body),
        approval_ttl=settings.approval_ttl,
        client_tool_ttl=settings.client_tool_ttl,
        live=LiveOptions(
            model=settings.live_model,
            calls=settings.live_calls,
            modality="audio" if settings.live_model or settings.model else "text",
            disconnect_grace=settings.disconnect_grace,
        ),
        relay=_relay(settings),
    )
    return app


def _run_config(settings: DemoSettings) -> RunConfig:
    recent = settings.recent_events
    return RunConfig(
        streaming_mode=StreamingMode.SSE,
        get_session_config=GetSessionConfig(num_recent_events=recent) if recent else None,
    )


def _sessions(url: str) -> DatabaseSessionService:
    """Make ADK's own service, without texts in its errors; on SQLite, writers wait in line."""
    sessions = DatabaseSessionService(url, hide_parameters=True)
    if url.startswith("sqlite"):
        event.listen(sessions.db_engine.sync_engine, "connect", harden_sqlite)
    return sessions


def _relay(settings: DemoSettings) -> Relay | None:
    if not settings.redis_url:
        return None
    from adk_stream_protocol.workers.redis.relay import RedisRelay  # an extra

    return RedisRelay(settings.redis_url)
