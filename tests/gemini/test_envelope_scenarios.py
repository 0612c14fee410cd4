"""Every scenario in envelopes: exactly these frames to the model, this event stream out."""

from pathlib import Path

import pytest

from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.envelope_chat import EnvelopeScenario, envelope_chat
from tests.support.gemini.files import WireFile, files

FILES = files("envelope")


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
async def test_a_scenario_in_envelopes(
    file: WireFile, gemini: GeminiServer, tmp_path: Path
) -> None:
    scenario = file.load(EnvelopeScenario)
    play = gemini.play(Play(Names(), connections=scenario.connections))
    async with envelope_chat(scenario, play, tmp_path) as chat:
        for number, turn in enumerate(scenario.turns):
            chunks = await chat.play(turn)
            assert play.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []
    play.finish()
