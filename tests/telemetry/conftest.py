"""One server whose telemetry can be seen; tests use chats of their own. And a listener here."""

from collections.abc import Iterator

import pytest

from tests.support.listener import Listener
from tests.support.servers.observed import ObservedServer


@pytest.fixture(scope="package")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObservedServer]:
    server = ObservedServer(tmp_path_factory.mktemp("observed")).start()
    yield server
    server.stop()


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Listener:
    return Listener(monkeypatch, caplog)
