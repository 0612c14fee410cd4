"""The Gemini server of the tests, and an environment in which the real classes find it."""

from collections.abc import Iterator

import pytest

from adk_stream_protocol.recording.stand_in.server import GeminiServer


@pytest.fixture(scope="session")
def gemini_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeminiServer]:
    """One server for all tests; each brings its own script."""
    server = GeminiServer(tmp_path_factory.mktemp("gemini")).start()
    yield server
    server.stop()


@pytest.fixture
def gemini(gemini_server: GeminiServer, monkeypatch: pytest.MonkeyPatch) -> GeminiServer:
    """The server, where this process looks for Gemini."""
    for name, value in gemini_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return gemini_server
