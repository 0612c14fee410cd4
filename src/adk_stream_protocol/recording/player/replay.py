"""`replay`: a recorded chat as a test of an app."""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from adk_stream_protocol.recording.player.app import AppSource, app_of, started
from adk_stream_protocol.recording.player.player import Player
from adk_stream_protocol.recording.scenario.scenario import load_chats
from adk_stream_protocol.recording.stand_in.environment import leading_to
from adk_stream_protocol.recording.stand_in.server import API_KEY, GeminiServer


def replay(file: str | Path, app: AppSource, *, headers: Mapping[str, str] | None = None) -> None:
    """Fail unless the app answers a recorded chat as it did when it was recorded.

    `app` is an ASGI app, or a function without parameters that makes one; its agent is on Gemini,
    with no base URL of its own. `headers` go with the client's requests: the file has none.
    """
    with standing_in() as gemini:
        found = asyncio.run(_differences(Player(gemini, headers or {}), Path(file), app))
    if found:
        raise AssertionError("\n".join([f"{file} differs", *found]))


async def _differences(player: Player, file: Path, source: AppSource) -> list[str]:
    found: list[str] = []
    for chat in load_chats(file).values():
        async with started(app_of(source)) as app:
            found += await player.differences(chat, app)
    return found


@contextmanager
def standing_in() -> Generator[GeminiServer]:
    """Run a server in Gemini's place, where this process looks for it."""
    with TemporaryDirectory() as folder:
        gemini = GeminiServer(Path(folder), api_key=None).start()
        try:
            key = {"GOOGLE_API_KEY": API_KEY}
            with leading_to(gemini.url, gemini.certificate, **key):
                yield gemini
        finally:
            gemini.stop()
