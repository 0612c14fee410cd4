"""The judges, and pages and raw clients of users with a full wallet each."""

from collections.abc import Callable, Iterator
from itertools import count

import httpx
import pytest

from adk_stream_protocol.demo.identity import COOKIE, load_secret, sign
from tests.sdk.judge import Judge
from tests.sdk.page import Helpers, Major, Page
from tests.sdk.raw import RawChat
from tests.support.server import DemoServer

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


@pytest.fixture
def headers(demo: DemoServer) -> dict[str, str]:
    """The cookie of a user that no other test has: with 1000 of each currency."""
    name = f"sdk-{next(_numbers)}"
    return {"cookie": f"{COOKIE}={sign(name, load_secret(demo.state))}"}


@pytest.fixture
def open_page(
    demo: DemoServer, judge: Judge, major: Major, headers: dict[str, str]
) -> Iterator[OpenPage]:
    """Opens the page of a new chat; at the end it must be at rest."""
    pages: list[Page] = []

    def open_page(helpers: Helpers = "both", approvals: str = "native") -> Page:
        api = f"{demo.url}/api/chat?approvals={approvals}"
        id = f"chat-{next(_numbers)}"
        pages.append(Page(judge, major=major, api=api, id=id, headers=headers, helpers=helpers))
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
    with httpx.Client(base_url=demo.url, timeout=20) as client:
        yield client


@pytest.fixture
def open_raw(client: httpx.Client, judge: Judge, headers: dict[str, str]) -> OpenRaw:
    """Opens a new chat for a client without an SDK."""

    def open_raw(approvals: str = "native") -> RawChat:
        id = f"chat-{next(_numbers)}"
        return RawChat(client, judge, id, headers=headers, approvals=approvals)

    return open_raw
