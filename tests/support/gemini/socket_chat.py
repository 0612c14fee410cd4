"""Plays a scenario over the live socket: the demo agent in this process, ADK's Gemini behind it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from adk_stream_protocol.demo.recorded_app import wire_app
from adk_stream_protocol.recording.player.asgi_socket import AsgiSocket
from adk_stream_protocol.recording.player.socket_chat import SocketChat
from adk_stream_protocol.recording.scenario.scenario import SocketScenario
from adk_stream_protocol.recording.stand_in.play import Play


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
    async with wire_app(scenario, state) as app:
        socket = AsgiSocket(app, "/live", query)
        async with app.router.lifespan_context(app), socket:
            yield socket
