"""The command with real models' names: the environment decides which Gemini it reaches."""

from collections.abc import Iterator

import httpx
import pytest
from websockets.asyncio.client import connect

from adk_stream_protocol.recording.player.http_chat import HttpChat
from adk_stream_protocol.recording.player.socket_chat import SocketChat
from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.scenario.scenario import Scenario, SocketScenario
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.files import wire_file
from tests.support.servers.real_models import LIVE_MODELS, MODEL, ModelDemo, NetworkSocket


@pytest.fixture(scope="module", params=LIVE_MODELS)
def demo(
    request: pytest.FixtureRequest,
    gemini_server: GeminiServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ModelDemo]:
    """A running demo; its only settings beside the models are in the environment."""
    environment = {**gemini_server.environment, "NO_PROXY": "127.0.0.1"}
    server = ModelDemo(tmp_path_factory.mktemp("demo"), **environment)
    server.live_model = LIVE_MODELS[request.param]
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize("name", ["weather", "payment-denied", "http-429"])
async def test_a_chat_over_http(name: str, demo: ModelDemo, gemini_server: GeminiServer) -> None:
    scenario = wire_file(f"http/{name}").load(Scenario)
    assert scenario.model == MODEL
    async with httpx.AsyncClient(base_url=demo.url, timeout=60, trust_env=False) as client:
        chat = HttpChat(client, scenario, gemini_server, chat_id=name)
        for number, turn in enumerate(scenario.turns):
            chunks, _ = await chat.play(turn)
            assert chat.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []


@pytest.mark.parametrize("name", ["weather", "payment-approved"])
async def test_a_chat_over_the_socket(
    name: str, demo: ModelDemo, gemini_server: GeminiServer
) -> None:
    (family,) = (key for key, model in LIVE_MODELS.items() if model == demo.live_model)
    scenario = wire_file(f"socket/{name}-{family}").load(SocketScenario)
    play = gemini_server.play(Play(Names(), connections=scenario.connections))
    address = demo.url.replace("http", "ws") + f"/live?chatId={name}-live"
    async with connect(address, proxy=None) as connection:
        chat = SocketChat(NetworkSocket(connection), play, chat_id=f"{name}-live")
        for number, turn in enumerate(scenario.turns):
            chunks = await chat.play(turn)
            assert play.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []
