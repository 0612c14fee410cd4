"""`connect`: every way into a chat, in both approval styles, with both kinds of live calls."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from adk_stream_protocol import LiveOptions
from tests.support.ways.clients import Chat, Client, Clients, Style, Way
from tests.support.ways.server import Server
from tests.support.ways.sockets import open_client

WAYS: tuple[Way, ...] = ("direct", "direct-live", "http", "socket", "envelopes")
STYLES: tuple[Style, ...] = ("native", "adk-tool")
LIVE: tuple[Way, ...] = ("direct-live", "socket", "envelopes")


@dataclass(frozen=True)
class Variant:
    """One way to do the same thing."""

    way: Way
    style: Style
    calls: str

    @property
    def asks_together(self) -> bool:
        """Whether a model that wants two calls makes both before the first is answered."""
        return self.way not in LIVE or self.calls == "parallel"

    def __str__(self) -> str:
        return f"{self.way}-{self.style}" + (f"-{self.calls}" if self.way in LIVE else "")


VARIANTS = [
    Variant(way, style, calls)
    for way in WAYS
    for style in STYLES
    for calls in (("sequential", "parallel") if way in LIVE else ("sequential",))
]


@pytest.fixture(scope="session")
def sequential(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose live model waits for a call that waits."""
    server = Server(tmp_path_factory.mktemp("sequential"), LiveOptions(modality="text")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def parallel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose live model goes on while calls wait."""
    state = tmp_path_factory.mktemp("parallel")
    server = Server(state, LiveOptions(modality="text", calls="parallel")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def speaking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose live model speaks and goes on while calls wait; its voice is passed on."""
    options = LiveOptions(modality="audio", audio=True, calls="parallel")
    server = Server(tmp_path_factory.mktemp("speaking"), options).start()
    yield server
    server.stop()


@pytest.fixture(params=VARIANTS, ids=str)
def variant(request: pytest.FixtureRequest) -> Variant:
    return request.param


@pytest.fixture
def clients() -> Iterator[Clients]:
    with Clients() as clients:
        yield clients


@pytest.fixture
def connect(
    variant: Variant, sequential: Server, parallel: Server, clients: Clients
) -> Callable[[], Client]:
    """Opens a new chat of a new user."""

    def connect() -> Client:
        server = parallel if variant.calls == "parallel" else sequential
        return clients.add(open_client(variant.way, Chat.new(server, variant.style)))

    return connect


@pytest.fixture
def client(connect: Callable[[], Client]) -> Client:
    """One client in a chat of its own."""
    return connect()
