"""The demo agent on the model of a data file, with what the file asks for."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.google_llm import Gemini
from google.adk.sessions.database_session_service import DatabaseSessionService
from starlette.applications import Starlette

from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.chats.live.settings import LiveOptions
from adk_stream_protocol.demo.agent import POLICIES, build_agent
from adk_stream_protocol.demo.app import DemoSettings
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.mount import mount
from adk_stream_protocol.recording.scenario.scenario import Scenario, SocketScenario


@asynccontextmanager
async def wire_app(scenario: Scenario | SocketScenario, state: Path) -> AsyncGenerator[Starlette]:
    """Build the app, not started yet; its state is in this folder."""
    sessions = DatabaseSessionService(DemoSettings(state).sessions_url)
    async with sessions, closing_model(Gemini(model=scenario.model)) as model:
        app = Starlette()
        mount_demo(
            app,
            model,
            state,
            sessions,
            approval_ttl=scenario.approval_ttl,
            run_config=RunConfig(streaming_mode=_streaming(scenario)),
            live=_live(scenario),
        )
        yield app


@asynccontextmanager
async def closing_model(model: Gemini) -> AsyncGenerator[Gemini]:
    """Close the connections of a model afterwards, which ADK never does."""
    try:
        yield model
    finally:
        await model.api_client.aio.aclose()


def mount_demo(
    app: Starlette,
    model: Gemini,
    state: Path,
    sessions: DatabaseSessionService,
    *,
    live: LiveOptions | None,
    approval_ttl: float = 600,
    run_config: RunConfig | None = None,
) -> None:
    """Mount the demo agent on this model, for one user and with its state in this folder."""
    mount(
        app,
        build_agent(wallet=Wallet(state), model=model),
        identify=lambda connection: "local",
        session_service=sessions,
        approval_store=SqlApprovalStore(DemoSettings(state).approvals_url),
        policies=POLICIES,
        approval_ttl=approval_ttl,
        run_config=run_config,
        live=live,
    )


def _streaming(scenario: Scenario | SocketScenario) -> StreamingMode:
    whole = isinstance(scenario, Scenario) and not scenario.streaming
    return StreamingMode.NONE if whole else StreamingMode.SSE


def _live(scenario: Scenario | SocketScenario) -> LiveOptions | None:
    if isinstance(scenario, Scenario):
        return None
    # Named once more: only a name is made into a model that keeps listening while a tool waits.
    return LiveOptions(
        model=scenario.model,
        calls=scenario.calls,
        modality=scenario.modality,
        audio=scenario.audio,
    )
