"""Every scenario over HTTP: the model gets exactly these requests, the client these chunks."""

from pathlib import Path

import pytest

from adk_stream_protocol.recording.scenario.scenario import Scenario
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import WireFile, files
from tests.support.gemini.http_chat import http_chat

FILES = files("http")


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
async def test_a_scenario_over_http(file: WireFile, gemini: GeminiServer, tmp_path: Path) -> None:
    scenario = file.load(Scenario)
    async with http_chat(scenario, gemini, tmp_path) as chat:
        for number, turn in enumerate(scenario.turns):
            chunks, _ = await chat.play(turn)
            assert chat.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []
