"""Every live scenario: ADK's own run_live sends exactly these frames and yields these events."""

from pathlib import Path

import pytest

from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import WireFile, files
from tests.support.gemini.live_run import LiveRun
from tests.support.gemini.live_scenario import LiveScenario

FILES = files("live")


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
async def test_a_live_scenario(file: WireFile, gemini: GeminiServer, tmp_path: Path) -> None:
    scenario = file.load(LiveScenario)
    names = Names()
    play = gemini.play(Play(names, connections=scenario.connections))
    run = LiveRun(scenario, play, tmp_path)
    await run.perform(scenario)
    play.finish()
    assert names.differences(scenario.events, run.events, "events") == []
    assert run.failure == scenario.failure
