"""Every scenario over the live socket: exactly these frames to the model, these chunks out."""

from pathlib import Path

import pytest

from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.scenario.scenario import SocketScenario
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import WireFile, files
from tests.support.gemini.socket_chat import socket_chat

FILES = files("socket")


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
async def test_a_scenario_over_the_socket(
    file: WireFile, gemini: GeminiServer, tmp_path: Path
) -> None:
    scenario = file.load(SocketScenario)
    play = gemini.play(Play(Names(), connections=scenario.connections))
    async with socket_chat(scenario, play, tmp_path) as chat:
        for number, turn in enumerate(scenario.turns):
            chunks = await chat.play(turn)
            assert play.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []
    play.finish()
