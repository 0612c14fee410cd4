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
from tests.gemini.matching import Json, Names
from tests.gemini.play import Play
from tests.gemini.scenario import Scenario, Turn
from tests.gemini.server import GeminiServer
from tests.support.client import Reply


class HttpChat:
    """One chat with a served agent."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        scenario: Scenario,
        gemini: GeminiServer,
        chat_id: str = "chat",
    ) -> None:
        self._client = client
        self._id = chat_id
        self._path = f"/api/chat?approvals={scenario.approvals}"
        self._gemini = gemini
        self.names = Names()

    async def play(self, turn: Turn) -> tuple[list[Json], Play]:
        """Post the client's message: the chunks of the answer, and what the model was asked."""
        play = self._gemini.play(Play(self.names, exchanges=turn.model))
        body = {"id": self._id, **self.names.fill(turn.client)}
        answer = await self._client.post(self._path, json=body)
        chunks = Reply(answer.status_code, answer.text).chunks
        play.finish()
        return chunks, play


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
        run_config=RunConfig(streaming_mode=streaming),
    )
    return app
