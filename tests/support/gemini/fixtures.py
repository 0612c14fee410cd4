"""Two stand-ins for Gemini: one that tests of the wire script, one that plays the real service."""

from collections.abc import Iterator

import pytest

from adk_stream_protocol.recording.stand_in.server import GeminiServer

KEY = "AIza-a-key-that-nobody-else-has"
"""The key of the stand-in that plays the real service."""


@pytest.fixture(scope="session")
def gemini_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeminiServer]:
    """One server for all tests; each brings its own script."""
    server = GeminiServer(tmp_path_factory.mktemp("gemini")).start()
    yield server
    server.stop()


@pytest.fixture
def gemini(gemini_server: GeminiServer, monkeypatch: pytest.MonkeyPatch) -> GeminiServer:
    """The server, where this process looks for Gemini."""
    return _near(gemini_server, monkeypatch)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeminiServer]:
    """One for all tests; each brings its own script."""
    server = GeminiServer(tmp_path_factory.mktemp("service"), api_key=KEY).start()
    yield server
    server.stop()


@pytest.fixture
def near_service(service: GeminiServer, monkeypatch: pytest.MonkeyPatch) -> GeminiServer:
    """The service, where this process looks for Gemini."""
    return _near(service, monkeypatch)


def _near(server: GeminiServer, monkeypatch: pytest.MonkeyPatch) -> GeminiServer:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return server
