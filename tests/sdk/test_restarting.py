"""The server goes down and comes back while pages on a socket wait for their users."""

from collections.abc import Callable, Iterator

import pytest

from tests.sdk.conftest import OpenPage, cookie_of_a_new_user
from tests.support.sdk.answers import Answer, no, output, yes
from tests.support.sdk.page import Page
from tests.support.sdk.wires import SOCKET, Major, over
from tests.support.servers.demo import DemoServer

pytestmark = over(SOCKET)

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
PLAYED = {"success": True, "track": 2}
FOUND = "You are at latitude 35.68, longitude 139.77."
LOOK = output("get_location", HERE)
MAJORS: tuple[Major, ...] = ("ai6", "ai7")
GREETING = "Hello! What can I do for you?"

# What is asked, what is answered before the restart and after it, and what the page says then.
STORIES: list[tuple[str, list[Answer], list[Answer], str]] = [
    (
        "Send $50 to Hanako",
        [],
        [yes("process_payment")],
        "I sent 50 USD to Hanako (balance 950).",
    ),
    (
        "Send $50 to Hanako",
        [],
        [no("process_payment", reason="no")],
        "The payment of 50 USD to Hanako was denied (no).",
    ),
    ("Where am I?", [], [yes("get_location"), LOOK], FOUND),
    ("Where am I?", [yes("get_location")], [LOOK], FOUND),
    (
        "Change the BGM to track 2",
        [],
        [output("change_bgm", PLAYED)],
        "The music is now track 2.",
    ),
    (
        "Pay Alice $30 and Bob $40",
        [yes("process_payment", 0)],
        [yes("process_payment", 1)],
        "I sent 30 USD to Alice (balance 970), and I sent 40 USD to Bob (balance 930).",
    ),
]


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoServer]:
    """A server for these tests alone."""
    server = DemoServer(tmp_path_factory.mktemp("mortal")).start()
    yield server
    server.stop()


@pytest.fixture
def server(mortal: DemoServer) -> DemoServer:
    return mortal


@pytest.mark.parametrize("major", [None])
@pytest.mark.parametrize("end", [DemoServer.stop, DemoServer.kill])
def test_what_waited_is_answered_afterwards(
    open_page: OpenPage, server: DemoServer, end: Callable[[DemoServer], int]
) -> None:
    def new_page(major: Major) -> Page:
        headers = cookie_of_a_new_user(server)
        return open_page(major=major, transport=SOCKET.transport(major), headers=headers)

    stories = [(new_page(major), story) for story in STORIES for major in MAJORS]
    for page, (asked, before, _, _) in stories:
        page.say(asked)
        for _ in page.settle(*before):
            assert page.error is None
    speaking = [new_page(major) for major in MAJORS]
    for page in speaking:
        page.begin("/say 3\n/hang 600", until="1 2 3 ")
    end(server)
    server.start()
    for page, (_, _, after, said) in stories:
        for _ in page.settle(*after):
            assert page.error is None
        assert (page.status, page.error, page.text) == ("ready", None, said)
        assert len(page.answers) == 1
        page.model_context().assert_paired()
    for page in speaking:
        page.rest()
        assert page.text == "1 2 3 "
        # Who goes down in peace ends what runs; otherwise the page notices that the line is dead.
        assert page.status == ("ready" if end is DemoServer.stop else "error")
        page.say("Hello")
        assert (page.status, page.error, page.text) == ("ready", None, GREETING)
