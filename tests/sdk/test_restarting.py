"""The server goes down and comes back while pages on a socket wait for their users."""

from collections.abc import Callable, Iterator

import pytest

from tests.sdk.answers import Answer, no, output, yes
from tests.sdk.conftest import OpenPage, cookie_of_a_new_user
from tests.sdk.wires import SOCKET, over
from tests.support.server import DemoServer

pytestmark = over(SOCKET)

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
PLAYED = {"success": True, "track": 2}
FOUND = "You are at latitude 35.68, longitude 139.77."
LOOK = output("get_location", HERE)
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


@pytest.mark.parametrize("end", [DemoServer.stop, DemoServer.kill])
def test_what_waited_is_answered_afterwards(
    open_page: OpenPage, server: DemoServer, end: Callable[[DemoServer], int]
) -> None:
    pages = [open_page(headers=cookie_of_a_new_user(server)) for _ in STORIES]
    for page, (asked, before, _, _) in zip(pages, STORIES, strict=True):
        page.say(asked)
        for _ in page.settle(*before):
            assert page.error is None
    speaking = open_page(headers=cookie_of_a_new_user(server))
    speaking.begin("/say 3\n/hang 600", until="1 2 3 ")
    end(server)
    server.start()
    for page, (_, _, after, said) in zip(pages, STORIES, strict=True):
        for _ in page.settle(*after):
            assert page.error is None
        assert (page.status, page.error, page.text) == ("ready", None, said)
        assert len(page.answers) == 1
        page.model_context().assert_paired()
    speaking.rest()
    assert speaking.text == "1 2 3 "
    # Who goes down in peace ends what runs; otherwise the page notices that the line is dead.
    assert speaking.status == ("ready" if end is DemoServer.stop else "error")
    speaking.say("Hello")
    assert (speaking.status, speaking.error, speaking.text) == ("ready", None, GREETING)
