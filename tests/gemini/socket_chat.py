"""Plays a scenario over the live socket: the demo agent in this process, ADK's Gemini behind it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from google.adk.sessions.database_session_service import DatabaseSessionService
from starlette.applications import Starlette

from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.app import PAYMENT_POLICY, DemoSettings
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.mount import LiveOptions, mount
from adk_stream_protocol.testing.wire.asgi_socket import AsgiSocket
from adk_stream_protocol.testing.wire.play import Play
from adk_stream_protocol.testing.wire.scenario import SocketScenario
from adk_stream_protocol.testing.wire.socket_chat import SocketChat


@asynccontextmanager
async def socket_chat(
    scenario: SocketScenario, play: Play, state: Path
) -> AsyncGenerator[SocketChat]:
    """A live chat with the demo agent in this process, for as long as the block lasts."""
    async with live_socket(scenario, state, f"approvals={scenario.approvals}") as socket:
        yield SocketChat(socket, play)


@asynccontextmanager
async def live_socket(
    scenario: SocketScenario, state: Path, query: str
) -> AsyncGenerator[AsgiSocket]:
    """A socket of the demo agent's."""
    sessions = DatabaseSessionService(DemoSettings(state).sessions_url)
    app = _app(scenario, state, sessions)
    socket = AsgiSocket(app, "/live", query)
    async with sessions, app.router.lifespan_context(app), socket:
        yield socket


def _app(scenario: SocketScenario, state: Path, sessions: DatabaseSessionService) -> Starlette:
    app = Starlette()
    mount(
        app,
        build_agent(wallet=Wallet(state)),
        identify=lambda connection: "local",
        session_service=sessions,
        approval_store=SqlApprovalStore(DemoSettings(state).approvals_url),
        policies=[PAYMENT_POLICY],
        approval_ttl=scenario.approval_ttl,
        live=LiveOptions(
            model=scenario.model,
            calls=scenario.calls,
            modality=scenario.modality,
            audio=scenario.audio,
        ),
    )
    return app
