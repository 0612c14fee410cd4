"""Opens chats in the older envelopes with the demo agent in this process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from adk_stream_protocol.recording.player.envelope_chat import EnvelopeChat
from adk_stream_protocol.recording.scenario.scenario import SocketScenario
from adk_stream_protocol.recording.stand_in.play import Play
from tests.support.gemini.socket_chat import live_socket


class EnvelopeScenario(SocketScenario):
    """A chat in envelopes; what they ask for by default is the style of their time."""

    approvals: str = "adk-tool"


@asynccontextmanager
async def envelope_chat(
    scenario: EnvelopeScenario, play: Play, state: Path
) -> AsyncGenerator[EnvelopeChat]:
    """A live chat with the demo agent in this process, for as long as the block lasts."""
    async with live_socket(scenario, state, "chatId=chat") as socket:
        yield EnvelopeChat(socket, play)
