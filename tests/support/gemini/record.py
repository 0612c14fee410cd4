"""Records scenarios again: `python -m tests.support.gemini.record [NAME…]`.

By hand a scenario says what the client does and what the model answers. This adds what the model
was asked and what came out. Look at the difference before you keep it.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from adk_stream_protocol.recording.player.updating import name_steps, update_http, update_socket
from adk_stream_protocol.recording.scenario.matching import Names
from adk_stream_protocol.recording.scenario.naming import Naming
from adk_stream_protocol.recording.scenario.scenario import (
    Scenario,
    SocketScenario,
    load,
    read,
    write,
)
from adk_stream_protocol.recording.stand_in.play import RecordingPlay
from adk_stream_protocol.recording.stand_in.server import GeminiServer
from tests.support.gemini.envelope_chat import EnvelopeScenario, envelope_chat
from tests.support.gemini.files import WIRE
from tests.support.gemini.http_chat import http_chat
from tests.support.gemini.live_run import LiveRun
from tests.support.gemini.live_scenario import LiveScenario
from tests.support.gemini.mixed_chat import MixedScenario, mixed_chat
from tests.support.gemini.socket_chat import socket_chat

_ALWAYS = ("method", "contents")


async def record_http(scenario: Scenario, gemini: GeminiServer, state: Path) -> None:
    """Play a chat over HTTP and keep in it what came."""
    async with http_chat(scenario, gemini, state) as chat:
        await update_http(scenario, chat)


async def record_live(scenario: LiveScenario, gemini: GeminiServer, state: Path) -> None:
    """Play a live run and keep in it what came."""
    play = gemini.play(RecordingPlay(Names(), connections=scenario.connections))
    run = LiveRun(scenario, play, state)
    await run.perform(scenario)
    play.finish()
    naming = Naming()
    naming.learn(run.events)
    scenario.events = naming.apply(run.events)
    scenario.failure = run.failure
    name_steps(scenario.connections, naming)


async def record_socket(
    scenario: SocketScenario, gemini: GeminiServer, state: Path, open_chat: Any = socket_chat
) -> None:
    """Play a chat over the socket and keep in it what came."""
    play = gemini.play(RecordingPlay(Names(), connections=scenario.connections))
    async with open_chat(scenario, play, state) as chat:
        naming = await update_socket(scenario, chat, play)
    play.finish()
    name_steps(scenario.connections, naming)


async def record_mixed(scenario: MixedScenario, gemini: GeminiServer, state: Path) -> None:
    """Play a chat both ways and keep in it what came."""
    for exchange in scenario.exchanges:
        exchange.request = {}
    play = gemini.play(
        RecordingPlay(Names(), exchanges=scenario.exchanges, connections=scenario.connections)
    )
    naming = Naming()
    async with mixed_chat(scenario, play, state) as chat:
        for turn in scenario.turns:
            chunks = await chat.play(turn)
            naming.learn(chunks)
            turn.chunks = naming.apply(chunks)
            assert play.names.differences(turn.chunks, chunks) == []
    play.finish()
    posted = [one for one in play.received if "method" in one]
    for exchange, asked in zip(scenario.exchanges, posted, strict=True):
        exchange.request = naming.apply({key: asked[key] for key in _ALWAYS})
    name_steps(scenario.connections, naming)


Record = Callable[[Any, GeminiServer, Path], Awaitable[None]]
_KINDS: list[tuple[str, type[Any], Record]] = [
    ("http", Scenario, record_http),
    ("live", LiveScenario, record_live),
    ("socket", SocketScenario, record_socket),
    ("envelope", EnvelopeScenario, partial(record_socket, open_chat=envelope_chat)),
    ("mixed", MixedScenario, record_mixed),
]


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        gemini = GeminiServer(Path(folder)).start()
        os.environ.update(gemini.environment)
        for kind, shape, record in _KINDS:
            for path in sorted((WIRE / kind).glob("*.json")):
                if not names or path.stem in names:
                    scenarios = {family: load(path, shape, family) for family in read(path)}
                    for scenario in scenarios.values():
                        state = Path(tempfile.mkdtemp(dir=folder))
                        asyncio.run(_run(record, scenario, gemini, state))
                    write(path, scenarios)
        gemini.stop()


async def _run(record: Record, scenario: Any, gemini: GeminiServer, state: Path) -> None:
    await record(scenario, gemini, state)


if __name__ == "__main__":
    main(sys.argv[1:])
