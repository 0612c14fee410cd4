"""The two taps of a recording around an app in this process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.types import ASGIApp

from adk_stream_protocol.demo.recorded_app import wire_app
from adk_stream_protocol.recording.player.app import started
from adk_stream_protocol.recording.recorder.client_tap import ClientTap
from adk_stream_protocol.recording.recorder.model_tap import ModelTap
from adk_stream_protocol.recording.recorder.recorder import Recorder
from adk_stream_protocol.recording.scenario.scenario import Scenario, SocketScenario
from adk_stream_protocol.recording.stand_in.environment import leading_to, trusted_file
from adk_stream_protocol.recording.stand_in.local_server import LocalServer
from adk_stream_protocol.recording.stand_in.server import GeminiServer


@asynccontextmanager
async def tapped_app(
    scenario: Scenario | SocketScenario, service: GeminiServer, recorder: Recorder, folder: Path
) -> AsyncGenerator[ASGIApp]:
    """The demo agent on the model of a scenario, with this service as the real one."""
    tap = ModelTap(recorder, service.url, trusted_file())
    server = LocalServer(tap.app, folder)
    server.start()
    try:
        with leading_to(server.url, server.certificate):
            async with wire_app(scenario, folder) as demo, started(demo) as app:
                yield ClientTap(app, recorder)
    finally:
        server.stop()
