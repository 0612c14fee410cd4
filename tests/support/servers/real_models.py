"""The command with real models' names, as a process, and a socket to it."""

import asyncio
import json
import os
import subprocess

from websockets.asyncio.client import ClientConnection

from adk_stream_protocol.recording.scenario.matching import Json
from tests.support.servers.demo import COMMAND, DemoServer

MODEL = "gemini-2.5-flash"
LIVE_MODELS = {
    "2.5": "gemini-2.5-flash-native-audio-preview-12-2025",
    "3.1": "gemini-3.1-flash-live-preview",
}
_SECONDS = 60


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


class NetworkSocket:
    """A socket to the demo's process."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, frame: Json) -> None:
        await self._connection.send(json.dumps(frame))

    async def receive(self) -> Json:
        async with asyncio.timeout(_SECONDS):
            return json.loads(await self._connection.recv())
