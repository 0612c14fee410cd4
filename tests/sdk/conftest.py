"""The judges, and pages and raw clients of users with a full wallet each."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import httpx
import pytest

from adk_stream_protocol.demo.identity import COOKIE, load_secret, sign
from tests.support.sdk.exchanges import Frames, Posts
from tests.support.sdk.judge import Judge
from tests.support.sdk.page import Helpers, Page
from tests.support.sdk.raw import RawChat
from tests.support.sdk.wires import HTTP, SOCKET, Major, Transport, Wire
from tests.support.servers.demo import DemoServer

OpenPage = Callable[..., Page]
OpenRaw = Callable[..., RawChat]

_numbers = count()


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """Both majors of the SDK in one Node process."""
    with Judge() as judge:
        yield judge
        assert judge.ask(do="late")["pages"] == [], "a page posted after its test had ended"


@pytest.fixture(params=["ai6", "ai7"])
def major(request: pytest.FixtureRequest) -> Major:
    """Each major of the SDK in turn."""
    return request.param


@pytest.fixture(params=[HTTP, SOCKET], ids=str)
def wire(request: pytest.FixtureRequest) -> Wire:
    """HTTP and the socket in turn; `over` names others."""
    return request.param


@pytest.fixture(scope="session")
def parallel_demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoServer]:
    """A demo server that tells a live model not to wait for calls that wait."""
    state = tmp_path_factory.mktemp("parallel-demo")
    server = DemoServer(state, ADK_STREAM_LIVE_CALLS="parallel").start()
    yield server
    server.stop()


@pytest.fixture
def server(request: pytest.FixtureRequest, wire: Wire) -> DemoServer:
    """The running server that the wire leads to."""
    is_parallel = wire.live_calls == "parallel"
    return request.getfixturevalue("parallel_demo" if is_parallel else "demo")


@pytest.fixture
def headers(server: DemoServer) -> dict[str, str]:
    """The cookie of a user that no other test has: with 1000 of each currency."""
    return cookie_of_a_new_user(server)


def cookie_of_a_new_user(server: DemoServer) -> dict[str, str]:
    name = f"sdk-{next(_numbers)}"
    return {"cookie": f"{COOKIE}={sign(name, load_secret(server.state))}"}


@pytest.fixture
def open_page(
    server: DemoServer, judge: Judge, major: Major, wire: Wire, headers: dict[str, str]
) -> Iterator[OpenPage]:
    """Opens the page of a new chat; at the end it must be at rest."""
    pages: list[Page] = []

    def open_page(
        helpers: Helpers = "both",
        approvals: str = "native",
        transport: Transport | None = None,
        **options: Any,
    ) -> Page:
        query = f"?approvals={approvals}"
        defaults = {
            "major": major,
            "transport": transport or wire.transport(major),
            "api": f"{server.url}/api/chat{query}",
            "live": f"{server.url.replace('http', 'ws')}/live{query}",
            "id": f"chat-{next(_numbers)}",
            "headers": headers,
            "helpers": helpers,
        }
        pages.append(Page(judge, **defaults | options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A page with both stock helpers."""
    return open_page()


@pytest.fixture(scope="session")
def client(demo: DemoServer) -> Iterator[httpx.Client]:
    """One client for all raw chats: a new one costs more than a turn."""
    with httpx.Client(base_url=demo.url, timeout=60) as client:
        yield client


@pytest.fixture
def open_raw(
    client: httpx.Client, server: DemoServer, judge: Judge, wire: Wire, headers: dict[str, str]
) -> Iterator[OpenRaw]:
    """Opens a new chat for a client without an SDK."""
    frames = Frames(server.url, headers)
    exchange = frames if wire.is_socket else Posts(client, headers)

    def open_raw(approvals: str = "native") -> RawChat:
        return RawChat(exchange, judge, f"chat-{next(_numbers)}", approvals=approvals)

    yield open_raw
    frames.close()
