"""Plays a scenario over HTTP: the demo agent in this process, ADK's Gemini class behind it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from adk_stream_protocol.demo.recorded_app import wire_app
from adk_stream_protocol.recording.player.http_chat import HttpChat
from adk_stream_protocol.recording.scenario.scenario import Scenario
from adk_stream_protocol.recording.stand_in.server import GeminiServer


@asynccontextmanager
async def http_chat(
    scenario: Scenario, gemini: GeminiServer, state: Path
) -> AsyncGenerator[HttpChat]:
    """A chat with the demo agent in this process, for as long as the block lasts."""
    async with wire_app(scenario, state) as app:
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://demo", timeout=60) as client,
        ):
            yield HttpChat(client, scenario, gemini)
