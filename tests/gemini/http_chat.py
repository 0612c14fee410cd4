"""Plays a scenario over HTTP: the demo server in this process, ADK's Gemini class behind it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.google_llm import Gemini
from google.adk.sessions.database_session_service import DatabaseSessionService
from starlette.applications import Starlette

from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.app import PAYMENT_POLICY, DemoSettings
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.mount import mount
from adk_stream_protocol.testing.wire.http_chat import HttpChat
from adk_stream_protocol.testing.wire.scenario import Scenario
from adk_stream_protocol.testing.wire.server import GeminiServer


@asynccontextmanager
async def http_chat(
    scenario: Scenario, gemini: GeminiServer, state: Path
) -> AsyncGenerator[HttpChat]:
    """A chat with the demo agent in this process, for as long as the block lasts."""
    sessions = DatabaseSessionService(DemoSettings(state).sessions_url)
    async with sessions, closing_model(Gemini(model=scenario.model)) as model:
        app = _app(scenario, model, state, sessions)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://demo", timeout=30) as client,
        ):
            yield HttpChat(client, scenario, gemini)


@asynccontextmanager
async def closing_model(model: Gemini) -> AsyncGenerator[Gemini]:
    """Close the connections of a model afterwards, which ADK never does."""
    try:
        yield model
    finally:
        await model.api_client.aio.aclose()


def _app(
    scenario: Scenario, model: Gemini, state: Path, sessions: DatabaseSessionService
) -> Starlette:
    """The demo server's app, with what the scenario asks for and the command does not have."""
    streaming = StreamingMode.SSE if scenario.streaming else StreamingMode.NONE
    app = Starlette()
    mount(
        app,
        build_agent(wallet=Wallet(state), model=model),
        identify=lambda connection: "local",
        session_service=sessions,
        approval_store=SqlApprovalStore(DemoSettings(state).approvals_url),
        policies=[PAYMENT_POLICY],
        approval_ttl=scenario.approval_ttl,
        run_config=RunConfig(streaming_mode=streaming),
    )
    return app
