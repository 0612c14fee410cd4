"""Every live scenario: ADK's own run_live sends exactly these frames and yields these events."""

from pathlib import Path

import pytest

from tests.gemini.live_run import LiveRun
from tests.gemini.matching import Names
from tests.gemini.play import Play
from tests.gemini.scenario import LiveScenario, files, load
from tests.gemini.server import GeminiServer

FILES = files("live")


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
async def test_a_live_scenario(file: Path, gemini: GeminiServer, tmp_path: Path) -> None:
    scenario = load(file, LiveScenario)
    names = Names()
    play = gemini.play(Play(names, connections=scenario.connections))
    run = LiveRun(scenario, play, tmp_path)
    await run.perform(scenario)
    play.finish()
    assert names.differences(scenario.events, run.events, "events") == []
    assert run.failure == scenario.failure
