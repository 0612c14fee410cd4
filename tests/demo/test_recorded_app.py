"""The demo agent on the model of a data file: what the file asks for is what the app does."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from google.adk.models.google_llm import Gemini
from starlette.applications import Starlette

from adk_stream_protocol.demo.recorded_app import closing_model, wire_app
from adk_stream_protocol.recording.player.app import started
from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.scenario.scenario import Exchange, Scenario, SocketScenario
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import wire_file

HELLO = {"message": {"role": "user", "content": "Hello"}, "id": "chat"}


async def posted(app: Any) -> httpx.Response:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://demo") as client:
        return await client.post("/api/chat", json=HELLO)


@pytest.mark.parametrize(
    ("streaming", "method"), [(True, "streamGenerateContent"), (False, "generateContent")]
)
async def test_the_model_of_the_file_is_asked_as_the_file_says(
    streaming: bool, method: str, gemini: GeminiServer, tmp_path: Path
) -> None:
    scenario = wire_file("http/length").load(Scenario)
    scenario.streaming = streaming
    answer = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]}
    exchange = Exchange({}, frames=[answer]) if streaming else Exchange({}, body=answer)
    play = gemini.play(Play(Names(), exchanges=[exchange]))
    async with wire_app(scenario, tmp_path) as demo, started(demo) as app:
        assert '"delta":"Hi"' in (await posted(app)).text
    (asked,) = play.received
    assert (asked["model"], asked["method"]) == (scenario.model, method)
    assert (tmp_path / "sessions.sqlite3").exists()


async def test_an_app_for_a_socket_has_live_chats(gemini: GeminiServer, tmp_path: Path) -> None:
    scenario = wire_file("socket/talk-2.5").load(SocketScenario)
    async with wire_app(scenario, tmp_path) as demo:
        assert isinstance(demo, Starlette)
        assert "/live" in [getattr(route, "path", "") for route in demo.routes]


async def test_a_model_is_closed_also_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "not-a-real-key")
    model, closed = Gemini(model="gemini-2.5-flash"), list[bool]()

    async def close() -> None:
        closed.append(True)

    monkeypatch.setattr(model.api_client.aio, "aclose", close)
    with pytest.raises(RuntimeError, match="in the block"):
        async with closing_model(model):
            raise RuntimeError("in the block")
    assert closed == [True]
