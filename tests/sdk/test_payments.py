"""A server tool that needs approval, in native style: what a page shows and what is paid."""

from itertools import product

import pytest

from tests.sdk.conftest import OpenPage
from tests.support.sdk.page import Helpers, Page
from tests.support.sdk.wires import HTTP, PARALLEL_SOCKET, SOCKET, Wire

DENIED = {"error": "The user denied this call. It did not run.", "outcome": "denied"}
YES_AND_NO = list(product([True, False], repeat=2))
# Whether the last card is answered first: where there is only one card at a time, it cannot be.
ORDERS = [
    (HTTP, False),
    (HTTP, True),
    (SOCKET, False),
    (PARALLEL_SOCKET, False),
    (PARALLEL_SOCKET, True),
]


@pytest.mark.parametrize("helpers", ["both", "approvals"])
def test_approved(open_page: OpenPage, helpers: Helpers) -> None:
    page = open_page(helpers)
    page.say("Send $50 to Hanako")
    assert page.states("process_payment") == ["approval-requested"]
    assert page.text == ""
    assert page.last_post["chunks"][-1]["finishReason"] == "tool-calls"
    page.approve()
    (call,) = page.calls("process_payment")
    assert call["state"] == "output-available"
    assert call["output"]["success"] is True
    assert call["output"]["wallet_balance"] == 950
    assert page.text == "I sent 50 USD to Hanako (balance 950)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)


def test_approved_in_japanese(page: Page) -> None:
    page.say("花子さんに50ドル送金してください")
    page.approve()
    (call,) = page.calls("process_payment")
    assert call["output"]["recipient"] == "花子"
    assert call["output"]["wallet_balance"] == 950
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)


def test_the_reply_goes_on_with_the_same_message(page: Page) -> None:
    page.say("Send $50 to Hanako")
    message_id = page.answers[-1]["id"]
    page.approve()
    assert [message["id"] for message in page.answers] == [message_id]
    assert page.last_types == [
        "start",
        "tool-output-available",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "finish",
    ]


@pytest.mark.parametrize("helpers", ["both", "approvals"])
def test_denied_with_a_reason(open_page: OpenPage, helpers: Helpers) -> None:
    page = open_page(helpers)
    page.say("Send $50 to Hanako")
    page.deny(reason="too much")
    (call,) = page.calls("process_payment")
    assert call["state"] == "output-denied"
    assert call["approval"]["approved"] is False
    assert call["approval"]["reason"] == "too much"
    assert page.text == "The payment of 50 USD to Hanako was denied (too much)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    context = page.model_context()
    context.assert_paired()
    assert context.responses("process_payment") == [DENIED | {"reason": "too much"}]


def test_a_double_click_pays_once(page: Page) -> None:
    page.say("Send $50 to Hanako")
    (card,) = page.asking()
    page.approve(card, card)
    (call,) = page.calls("process_payment")
    assert call["output"]["wallet_balance"] == 950
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


@pytest.mark.parametrize("answers", YES_AND_NO)
@pytest.mark.parametrize(("wire", "backwards"), ORDERS, ids=str)
def test_two_payments_at_once(
    page: Page, wire: Wire, answers: tuple[bool, bool], backwards: bool
) -> None:
    page.say("Pay Alice $30 and Bob $40")
    verdicts = dict(zip(("Alice", "Bob"), answers, strict=True))
    cards_shown: list[int] = []
    for cards in page.moments():
        cards_shown.append(len(cards))
        for card in reversed(cards) if backwards else cards:
            assert (page.post_count, page.text) == (len(cards_shown), "")
            page.approve(card) if verdicts[card["input"]["recipient"]] else page.deny(card)
    assert cards_shown == ([2] if wire.calls_at_once else [1, 1])
    shown = ["output-available" if yes else "output-denied" for yes in answers]
    assert page.states("process_payment") == shown
    assert (page.status, page.error, page.post_count) == ("ready", None, 1 + len(cards_shown))
    assert len(page.parts("text")) == 1
    assert page.text.index("Alice") < page.text.index("Bob")
    assert page.text.count("denied") == answers.count(False)
    paid = [c["output"]["amount"] for c in page.calls("process_payment") if "output" in c]
    assert paid == [amount for amount, yes in zip((30, 40), answers, strict=True) if yes]
    page.model_context().assert_paired()
    page.say("Send $1 to Carol")
    page.approve()
    assert page.calls("process_payment")[-1]["output"]["wallet_balance"] == 999 - sum(paid)


@pytest.mark.parametrize("answers", YES_AND_NO)
def test_two_payments_in_order(page: Page, answers: tuple[bool, bool]) -> None:
    page.say("Send $30 to Alice, then $40 to Bob")
    assert page.states("process_payment") == ["approval-requested"]
    for yes in answers:
        (card,) = page.asking()
        assert page.text == ""
        page.approve(card) if yes else page.deny(card)
    shown = ["output-available" if yes else "output-denied" for yes in answers]
    assert page.states("process_payment") == shown
    assert len(page.answers) == 1
    assert len(page.parts("text")) == 1
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    page.model_context().assert_paired()


@pytest.mark.parametrize("amount", ["-5", "0", "1e9", "1001", '"fifty"'])
def test_an_impossible_payment_is_refused_without_asking(page: Page, amount: str) -> None:
    page.say(f'/call process_payment {{"amount":{amount},"recipient":"Hanako"}}')
    assert page.states("process_payment") == ["output-error"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)
    assert "failed" in page.text
    page.model_context().assert_paired()


def test_a_model_that_fails_after_the_payment(page: Page) -> None:
    page.say('/call process_payment {"amount":50,"recipient":"Hanako"}\n/then\n/say 2\n/error 500')
    page.approve()
    assert page.status == "error"
    assert page.states("process_payment") == ["output-available"]
    assert page.text == "1 2 "
    page.resend()
    assert page.states("process_payment") == ["output-available"]
    page.say("Send $1 to Carol")
    page.approve()
    assert page.calls("process_payment")[-1]["output"]["wallet_balance"] == 949
    assert (page.status, page.error) == ("ready", None)
    page.model_context().assert_paired()


def test_without_a_helper_for_approvals_a_decision_waits_for_the_app(open_page: OpenPage) -> None:
    page = open_page("tools")
    page.say("Send $50 to Hanako")
    page.approve()
    assert page.states("process_payment") == ["approval-responded"]
    assert page.post_count == 1
    page.resend()
    assert page.states("process_payment") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
