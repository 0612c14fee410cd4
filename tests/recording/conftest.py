"""A stand-in for Gemini that plays the real service, with a key of its own."""

from collections.abc import Iterator

import pytest

from adk_stream_protocol.recording.stand_in.server import GeminiServer

KEY = "AIza-a-key-that-nobody-else-has"


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeminiServer]:
    """One for all tests; each brings its own script."""
    server = GeminiServer(tmp_path_factory.mktemp("service"), api_key=KEY).start()
    yield server
    server.stop()


@pytest.fixture
def near_service(service: GeminiServer, monkeypatch: pytest.MonkeyPatch) -> GeminiServer:
    """The service, where this process looks for Gemini."""
    for name, value in service.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return service
