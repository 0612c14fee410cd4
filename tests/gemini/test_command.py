"""The command with real models' names: the environment decides which Gemini it reaches."""

import json
import os
import subprocess
from collections.abc import Iterator

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.gemini.http_chat import HttpChat
from tests.gemini.matching import Json, Names
from tests.gemini.play import Play
from tests.gemini.scenario import WIRE, Scenario, SocketScenario, load
from tests.gemini.server import GeminiServer
from tests.gemini.socket_chat import SocketChat
from tests.support.server import COMMAND, DemoServer

MODEL = "gemini-2.5-flash"
LIVE_MODELS = {
    "2.5": "gemini-2.5-flash-native-audio-preview-12-2025",
    "3.1": "gemini-3.1-flash-live-preview",
}


class ModelDemo(DemoServer):
    """`adk-stream demo --model NAME --live-model NAME`."""

    live_model = ""

    def start(self) -> "ModelDemo":
        place = ["--port", str(self.port), "--state", str(self.state)]
        models = ["--model", MODEL, "--live-model", self.live_model]
        self._process = subprocess.Popen(
            [COMMAND, "demo", *place, *models],
            env={**os.environ, **self._environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_ready()
        return self


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


class NetworkSocket:
    """A socket to the demo's process."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, frame: Json) -> None:
        await self._connection.send(json.dumps(frame))

    async def receive(self) -> Json:
        return json.loads(await self._connection.recv())


@pytest.mark.parametrize("name", ["weather", "payment-denied", "http-429"])
async def test_a_chat_over_http(name: str, demo: ModelDemo, gemini_server: GeminiServer) -> None:
    scenario = load(WIRE / "http" / f"{name}.json", Scenario)
    assert scenario.model == MODEL
    async with httpx.AsyncClient(base_url=demo.url, timeout=30, trust_env=False) as client:
        chat = HttpChat(client, scenario, gemini_server, chat_id=name)
        for number, turn in enumerate(scenario.turns):
            chunks, _ = await chat.play(turn)
            assert chat.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []


@pytest.mark.parametrize("name", ["weather", "payment-approved"])
async def test_a_chat_over_the_socket(
    name: str, demo: ModelDemo, gemini_server: GeminiServer
) -> None:
    (family,) = (key for key, model in LIVE_MODELS.items() if model == demo.live_model)
    scenario = load(WIRE / "socket" / f"{name}-{family}.json", SocketScenario)
    play = gemini_server.play(Play(Names(), connections=scenario.connections))
    address = demo.url.replace("http", "ws") + f"/live?chatId={name}-live"
    async with connect(address, proxy=None) as connection:
        chat = SocketChat(NetworkSocket(connection), play, chat_id=f"{name}-live")
        for number, turn in enumerate(scenario.turns):
            chunks = await chat.play(turn)
            assert play.names.differences(turn.chunks, chunks, f"turn {number}: chunks") == []
