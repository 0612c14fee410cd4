"""One chat that goes from HTTP to the socket and back while something waits."""

from itertools import permutations

import httpx
import pytest

from tests.sdk.conftest import OpenPage
from tests.support.sdk.answers import output, yes
from tests.support.sdk.exchanges import Frames, Posts
from tests.support.sdk.judge import Judge
from tests.support.sdk.page import Page
from tests.support.sdk.raw import RawChat
from tests.support.sdk.wires import HTTP, PARALLEL_SOCKET, SOCKET, Major, Wire, over
from tests.support.servers.demo import DemoServer

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
GREETING = "Hello! What can I do for you?"
WAYS = list(permutations([HTTP, SOCKET]))

both_ways = pytest.mark.parametrize(("first", "wire"), WAYS, ids=str)


@over(SOCKET)
def test_there_and_back(open_page: OpenPage, major: Major) -> None:
    page = open_page(transport="http")
    balance = 1000
    for wire in (SOCKET, HTTP, SOCKET, HTTP):
        page.say("Send $50 to Hanako")
        page.switch(wire.transport(major))
        page.approve()
        balance -= 50
        assert page.calls("process_payment")[-1]["output"]["wallet_balance"] == balance
        assert page.text == f"I sent 50 USD to Hanako (balance {balance})."
        assert (page.status, page.error) == ("ready", None)
    assert (page.post_count, len(page.answers)) == (8, 4)
    context = page.model_context()
    context.assert_paired()
    balances = [told["wallet_balance"] for told in context.responses("process_payment")]
    assert balances == [950, 900, 850, 800]
    assert context.texts("user") == ["Send $50 to Hanako"] * 4 + ["/echo"]


@both_ways
def test_a_denial(open_page: OpenPage, major: Major, first: Wire, wire: Wire) -> None:
    page = open_page(transport=first.transport(major))
    page.say("Send $50 to Hanako")
    page.switch(wire.transport(major))
    page.deny(reason="too much")
    assert page.states("process_payment") == ["output-denied"]
    assert page.text == "The payment of 50 USD to Hanako was denied (too much)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


@both_ways
def test_a_location_asked_for_approved_and_found_in_three_places(
    open_page: OpenPage, major: Major, first: Wire, wire: Wire
) -> None:
    page = open_page(transport=first.transport(major))
    page.say("Where am I?")
    for answer in page.settle(yes("get_location"), output("get_location", HERE)):
        page.switch((wire if answer.value is True else first).transport(major))
    assert page.states("get_location") == ["output-available"]
    assert page.text == "You are at latitude 35.68, longitude 139.77."
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    context = page.model_context()
    context.assert_paired()
    assert context.responses("get_location") == [HERE]


@both_ways
def test_music(open_page: OpenPage, major: Major, first: Wire, wire: Wire) -> None:
    page = open_page(transport=first.transport(major))
    page.say("Change the BGM to track 2")
    page.switch(wire.transport(major))
    page.run(page.calls("change_bgm")[0], {"success": True, "track": 2})
    assert page.states("change_bgm") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    assert len(page.parts("text")) == 1
    page.model_context().assert_paired()


@both_ways
def test_a_new_message_elsewhere_cancels_what_waits(
    open_page: OpenPage, major: Major, first: Wire, wire: Wire
) -> None:
    page = open_page(transport=first.transport(major))
    page.say("Send $50 to Hanako")
    page.switch(wire.transport(major))
    page.say("Hello")
    assert page.text == GREETING
    assert page.states("process_payment") == ["approval-requested"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    context = page.model_context()
    context.assert_paired()
    (told,) = context.responses("process_payment")
    assert "cancelled" in told["error"]


@pytest.mark.parametrize("talks", [True, False], ids=["after-a-talk", "at-first"])
@over(SOCKET)
def test_what_was_said_is_known_on_the_other_side(
    open_page: OpenPage, major: Major, talks: bool
) -> None:
    page: Page = open_page(transport="http")
    if talks:
        page.say("Hello")
    page.switch(SOCKET.transport(major))
    page.say("What is the weather in London?")
    page.switch("http")
    context = page.model_context()
    context.assert_paired()
    greeted = ["Hello"] if talks else []
    assert context.texts("user") == [*greeted, "What is the weather in London?", "/echo"]
    assert "It is 14 °C and rainy in London." in context.texts("model")


@over(PARALLEL_SOCKET)
@pytest.mark.parametrize("socket_first", [True, False])
@pytest.mark.parametrize("asked_on_socket", [True, False])
def test_two_payments_approved_on_one_side_each(
    server: DemoServer,
    judge: Judge,
    headers: dict[str, str],
    asked_on_socket: bool,
    socket_first: bool,
) -> None:
    frames = Frames(server.url, headers)
    with httpx.Client(base_url=server.url, timeout=60) as client:
        chats = [
            RawChat(exchange, judge, "both", approvals="native")
            for exchange in (frames, Posts(client, headers))
        ]
        asked = (chats[0] if asked_on_socket else chats[1]).say("Pay Alice $30 and Bob $40")
        sides = chats if socket_first else chats[::-1]
        alice, bob = asked.of("tool-approval-request")
        half = sides[0].decide(alice, approved=True)
        assert half.one("tool-output-available")["toolCallId"] == alice["toolCallId"]
        assert half.text == ""
        whole = sides[1].decide(bob, approved=True)
        assert whole.one("tool-output-available")["output"]["wallet_balance"] == 930
        assert "to Alice" in whole.text and "to Bob" in whole.text
        chats[1].model_context().assert_paired()
    frames.close()
