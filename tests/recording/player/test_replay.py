"""Replaying: what is the same, what differs and where, and keeping what comes now."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.recording import replay
from adk_stream_protocol.recording.player.player import Player
from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.scenario.scenario import (
    Scenario,
    SocketScenario,
    Step,
    load,
    load_chats,
    save,
    write,
)
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import wire_file
from tests.support.gemini.taps import tapped_app
from tests.support.servers.recorder import run_command

PAGE = Path(__file__).parents[3] / "docs" / "testing.md"
TALK = """
from google.adk.agents import LlmAgent
from google.adk.sessions import InMemorySessionService
from starlette.applications import Starlette
from adk_stream_protocol import mount


def build_app():
    app = Starlette()
    agent = LlmAgent(name="assistant", model="gemini-2.5-flash")
    sessions = InMemorySessionService()
    mount(app, agent, identify=lambda request: "ann", session_service=sessions, prefix="/shop")
    return app


app = build_app()
"""


def command(*arguments: object) -> object:
    return run_command("replay", *arguments)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """Words only: any agent on Gemini answers so."""
    scenario = wire_file("http/length").load(Scenario)
    save(tmp_path / "chat.json", scenario)
    return tmp_path / "chat.json"


def test_the_documented_test_passes_and_can_fail(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = (
        code
        for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
        if "replay(" in code
    )
    names: dict[str, Any] = {}
    exec(compile(code, "snippet", "exec"), names)
    chat.rename("payment.json")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    before = dict(os.environ)
    names["test_the_answer_that_went_wrong"]()
    assert dict(os.environ) == before
    with pytest.raises(AssertionError, match="turn 1: 401: Please sign in"):
        replay("payment.json", names["build_app"])


def test_an_app_is_found_by_its_name(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "talking_shop.py").write_text(TALK, encoding="utf-8")
    scenario = load(chat, Scenario)
    scenario.path = "/shop/api/chat"
    save(chat, scenario)
    assert command("--app", "talking_shop:build_app", chat, chat) == 0
    assert command("--app", "talking_shop:app", chat, chat) == 0
    assert command(chat) == 1  # the demo has no such path
    assert command("--app", "talking_shop:nothing", chat) == 2
    del sys.modules["talking_shop"]


@pytest.mark.parametrize("name", ["http/payment-approved", "socket/speech-3.1"])
def test_what_comes_now_can_be_kept(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = wire_file(name)
    file = Path(shutil.copy(kept.path, tmp_path))
    changed = load_chats(file)
    changed[kept.family].turns[-1].chunks[0] = {"type": "start", "messageId": "another"}
    write(file, changed)
    assert command(file) == 1
    label = f"{file} ({kept.family})" if kept.family else f"{file}"
    assert f"{label}: DIFFERENT" in capsys.readouterr().out
    assert command("--update", file) == 0
    assert file.read_text(encoding="utf-8") == kept.path.read_text(encoding="utf-8")


def test_what_the_model_is_asked_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = wire_file("socket/talk-2.5").load(SocketScenario)
    scenario.connections[0][2] = Step(expect={"realtime_input": {"text": "another"}})
    save(tmp_path / "chat.json", scenario)
    assert command(tmp_path / "chat.json") == 1
    assert "the frame is not what the script expects" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "reason"),
    [("{", "cannot be replayed"), ('{"user": []}', "a run of ADK alone"), ("{}", "about")],
)
def test_a_file_that_is_no_chat_is_named(
    content: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "chat.json").write_text(content, encoding="utf-8")
    assert command(tmp_path / "chat.json") == 1
    printed = capsys.readouterr().out
    assert "chat.json: NOT PLAYED" in printed and reason in printed


def stopped_talk() -> SocketScenario:
    """A chat whose first turn the client stops; the rest of it comes after the next message."""
    scenario = wire_file("socket/talk-2.5").load(SocketScenario)
    (steps,) = scenario.connections
    steps.insert(5, steps.pop(9))
    scenario.turns[0].abort_after = 4
    return scenario


def test_a_turn_that_the_client_stops(near_service: GeminiServer, tmp_path: Path) -> None:
    scenario = stopped_talk()
    recorder = Recorder(tmp_path / "chat.json", lambda line: None)

    async def record() -> None:
        async with tapped_app(scenario, near_service, recorder, tmp_path) as app:
            await Player(near_service).update(scenario, app)

    asyncio.run(record())
    ended = [chunk["type"] for chunk in scenario.turns[0].chunks][4:]
    assert ended == ["text-end", "finish-step", "finish"]
    recorded = load(tmp_path / "chat.json", SocketScenario)
    assert recorded.turns == scenario.turns
    assert command(tmp_path / "chat.json") == 0
