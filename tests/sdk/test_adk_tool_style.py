"""Approvals as `adk_request_confirmation` calls that a page answers with an output."""

from itertools import product

import pytest

from tests.sdk.conftest import OpenPage
from tests.support.sdk.answers import output
from tests.support.sdk.page import Json, Page
from tests.support.sdk.wires import HTTP, PARALLEL_SOCKET, SOCKET, Wire, over

CONFIRMATION = "adk_request_confirmation"
HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
YES_AND_NO = list(product([True, False], repeat=2))


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A page that posts when all its tool calls have outputs."""
    return open_page("tools", approvals="adk-tool")


def waiting(page: Page) -> list[Json]:
    """The confirmations without an answer."""
    return [call for call in page.calls(CONFIRMATION) if call["state"] == "input-available"]


def test_a_confirmation_names_the_call_it_is_about(page: Page) -> None:
    page.say("Send $50 to Hanako")
    (payment,) = page.calls("process_payment")
    (card,) = waiting(page)
    assert payment["state"] == "input-available"
    assert card["toolCallId"].startswith("adk-")
    assert card["toolCallId"] != payment["toolCallId"]
    original = {
        "id": payment["toolCallId"],
        "name": "process_payment",
        "args": {"amount": 50, "recipient": "Hanako", "currency": "USD"},
    }
    assert card["input"]["originalFunctionCall"] == original
    assert card["input"]["toolConfirmation"]["confirmed"] is False
    assert card["input"]["toolConfirmation"]["hint"]
    assert "tool-approval-request" not in page.last_types
    assert page.browser_calls == [CONFIRMATION]


def test_approved(page: Page) -> None:
    page.say("Send $50 to Hanako")
    assert page.parts("text") == []
    page.run(waiting(page)[0], {"confirmed": True})
    assert page.states(CONFIRMATION) == ["output-available"]
    (payment,) = page.calls("process_payment")
    assert payment["output"]["wallet_balance"] == 950
    assert page.text == "I sent 50 USD to Hanako (balance 950)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_denied(page: Page) -> None:
    page.say("Send $50 to Hanako")
    page.run(waiting(page)[0], {"confirmed": False, "reason": "too much"})
    assert page.states("process_payment") == ["output-error"]
    assert page.text == "The payment of 50 USD to Hanako was denied (too much)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    context = page.model_context()
    context.assert_paired()
    assert context.responses("process_payment")[0]["reason"] == "too much"


@over(HTTP, SOCKET, PARALLEL_SOCKET)
@pytest.mark.parametrize("answers", YES_AND_NO)
def test_two_payments_at_once(page: Page, wire: Wire, answers: tuple[bool, bool]) -> None:
    page.say("/say 2\nPay\n" + _pay(30, "Alice") + "\n" + _pay(40, "Bob"))
    assert len(waiting(page)) == (2 if wire.calls_at_once else 1)
    verdicts = [output(CONFIRMATION, {"confirmed": yes}, i) for i, yes in enumerate(answers)]
    for answer in page.settle(*verdicts):
        assert page.parts("text") == []
        assert page.post_count == (1 if wire.calls_at_once else 1 + answer.index)
    shown = ["output-available" if yes else "output-error" for yes in answers]
    assert page.states("process_payment") == shown
    sends = 2 if wire.calls_at_once else 3
    assert (page.status, page.error, page.post_count) == ("ready", None, sends)
    assert [part["text"] for part in page.parts("text")][0] == "1 2 "
    assert len(page.parts("text")) == 2
    page.model_context().assert_paired()


@pytest.mark.parametrize("answers", YES_AND_NO)
def test_two_payments_in_order_hold_all_text(page: Page, answers: tuple[bool, bool]) -> None:
    first, second = _pay(30, "Alice"), _pay(40, "Bob")
    page.say(f"/say 2\n{first}\n/then\n/say 3\n{second}\n/then\n/say 4")
    for yes in answers:
        assert page.parts("text") == []
        page.run(waiting(page)[0], {"confirmed": yes})
    shown = ["output-available" if yes else "output-error" for yes in answers]
    assert page.states("process_payment") == shown
    texts = [part["text"] for part in page.parts("text")]
    assert texts == ["1 2 ", "1 2 3 ", "1 2 3 4 "]
    assert len(page.answers) == 1
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    page.model_context().assert_paired()


def test_a_location_with_approval_and_result_together(page: Page) -> None:
    page.say("Where am I?")
    page.run(waiting(page)[0], {"confirmed": True})
    assert page.post_count == 1
    page.run(page.calls("get_location")[0], HERE)
    assert page.states("get_location") == ["output-available"]
    assert page.text == "You are at latitude 35.68, longitude 139.77."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_a_denied_location_is_posted_by_the_app(page: Page) -> None:
    page.say("Where am I?")
    page.run(waiting(page)[0], {"confirmed": False})
    assert page.post_count == 1
    page.resend()
    assert page.states("get_location") == ["output-error"]
    assert page.text == "The request for your location was denied."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


@over(HTTP, SOCKET, PARALLEL_SOCKET)
def test_music_next_to_a_payment(page: Page, wire: Wire) -> None:
    page.say(_pay(50, "Hanako") + '\n/call change_bgm {"track":2}')
    play = output("change_bgm", {"success": True, "track": 2})
    for _ in page.settle(play, output(CONFIRMATION, {"confirmed": True})):
        assert page.parts("text") == []
    assert page.states("process_payment") == page.states("change_bgm") == ["output-available"]
    sends = 2 if wire.calls_at_once else 3
    assert (page.status, page.error, page.post_count) == ("ready", None, sends)
    page.model_context().assert_paired()


def test_text_without_any_approval_comes_too(page: Page) -> None:
    page.say("Hello")
    assert page.text == "Hello! What can I do for you?"
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)


@over(HTTP, SOCKET, PARALLEL_SOCKET)
def test_a_new_message_while_a_confirmation_waits(page: Page, wire: Wire) -> None:
    page.say("/say 2\n" + _pay(50, "Hanako"))
    page.say("Hello")
    assert page.text == "Hello! What can I do for you?"
    assert page.states(CONFIRMATION) == ["input-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    forgotten = () if wire.tells_of_cancelled else ("process_payment",)
    page.model_context().assert_paired(forgotten=forgotten)


def _pay(amount: int, recipient: str) -> str:
    return f'/call process_payment {{"amount":{amount},"recipient":"{recipient}"}}'
