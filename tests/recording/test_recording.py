"""Recording a chat gives the data file that it was played from, and that can be played again."""

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec
import pytest

from adk_stream_protocol.demo.recorded_app import wire_app
from adk_stream_protocol.recording.player.app import started
from adk_stream_protocol.recording.player.player import Player
from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import Scenario, SocketScenario, load_chats
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from adk_stream_protocol.recording.tapes.tape import RecordingOptions
from tests.support.gemini.files import WireFile, wire_file
from tests.support.gemini.taps import tapped_app

Chat = Scenario | SocketScenario

SAME = [
    "http/payments-approve-deny",
    "http/payment-approved-adk-tool",
    "http/drop",
    "http/http-429",
    "socket/location-approved-then-found-3.1",
    "socket/quota-3.1",
    "envelope/payment-approved-2.5",
]
"""Nothing in these depends on what comes first on the two sides."""
ORDERED = [
    "socket/payments-together-2.5",
    "socket/drop-waiting-2.5",
    "socket/goaway-waiting-3.1",
    "socket/interrupted-waiting-2.5",
    "socket/payment-timed-out-3.1",
    "socket/speech-2.5",
    "envelope/speech-3.1",
]
"""In these one side waits for the other; a recording says so in its own words."""


async def record(file: WireFile, service: GeminiServer, folder: Path) -> Chat:
    """Play a chat with both taps in place; the file that comes of it."""
    chat = file.load_chat()
    calls = chat.calls if isinstance(chat, SocketScenario) else "sequential"
    options = RecordingOptions(chat.about, chat.varies, chat.approval_ttl, calls)
    said: list[str] = []
    recorder = Recorder(folder / "recorded.json", said.append, options=options)
    async with tapped_app(chat, service, recorder, folder) as app:
        assert await Player(service).differences(chat, app) == []
    assert len(said) == len(chat.turns), said
    return load_chats(folder / "recorded.json")[""]


async def replay_again(chat: Chat, service: GeminiServer, folder: Path) -> list[str]:
    state = Path(mkdtemp(dir=folder))
    async with wire_app(chat, state) as demo, started(demo) as app:
        return await Player(service).differences(chat, app)


def comparable(chat: Chat) -> Json:
    """A file without what a recording leaves out on purpose."""
    content: Any = msgspec.to_builtins(chat)
    for step in (step for steps in content.get("connections", []) for step in steps):
        setup = (step.get("expect") or {}).get("setup", {})
        setup.pop("tools", None)
    return content


@pytest.mark.parametrize("name", SAME)
async def test_a_recording_is_the_file_it_was_played_from(
    name: str, near_service: GeminiServer, tmp_path: Path
) -> None:
    recorded = await record(wire_file(name), near_service, tmp_path)
    assert comparable(recorded) == comparable(wire_file(name).load_chat())
    assert await replay_again(recorded, near_service, tmp_path) == []


@pytest.mark.parametrize("name", ORDERED)
async def test_a_recording_keeps_the_order_of_the_two_sides(
    name: str, near_service: GeminiServer, tmp_path: Path
) -> None:
    recorded = await record(wire_file(name), near_service, tmp_path)
    played = wire_file(name).load_chat()
    assert [turn.chunks for turn in recorded.turns] == [turn.chunks for turn in played.turns]
    assert await replay_again(recorded, near_service, tmp_path) == []
