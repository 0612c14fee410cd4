"""Chats that change between HTTP and the socket, or come back to it: exactly these requests and
frames to the two models, exactly these chunks out.
"""

from pathlib import Path

import pytest

from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import WireFile, files
from tests.support.gemini.mixed_chat import MixedScenario, mixed_chat

FILES = files("mixed")


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
async def test_a_scenario_both_ways(file: WireFile, gemini: GeminiServer, tmp_path: Path) -> None:
    scenario = file.load(MixedScenario)
    play = gemini.play(
        Play(Names(), exchanges=scenario.exchanges, connections=scenario.connections)
    )
    async with mixed_chat(scenario, play, tmp_path) as chat:
        for number, turn in enumerate(scenario.turns):
            chunks = await chat.play(turn)
            assert play.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []
    play.finish()
