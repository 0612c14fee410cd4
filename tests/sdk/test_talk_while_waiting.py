"""A live model that goes on talking while a call of its own waits for the user."""

import pytest

from tests.support.sdk.page import Page, text_of
from tests.support.sdk.wires import PARALLEL_SOCKET, over

pytestmark = over(PARALLEL_SOCKET)

PAY = '/call process_payment {"amount":50,"recipient":"Hanako"}'
GREETING = "Hello! What can I do for you?"


@pytest.mark.parametrize("rest", ["", "\n/hang 0.2\n/say 2"], ids=["done", "talking"])
def test_an_answer_to_the_call(page: Page, rest: str) -> None:
    page.say(f"{PAY}\n/hang 0.2\n/say 3{rest}")
    assert page.states("process_payment") == ["approval-requested"]
    page.wait_for_server_turn()
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert page.text.endswith("I sent 50 USD to Hanako (balance 950).")
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    assert len(page.answers) == 1
    page.model_context().assert_paired()


@pytest.mark.parametrize("rest", ["", "\n/hang 600"], ids=["done", "talking"])
def test_a_new_message(page: Page, rest: str) -> None:
    page.say(f"{PAY}\n/hang 0.2\n/say 3{rest}")
    page.wait_for_server_turn()
    page.resume(until="1 2 3 ")
    page.say("Hello")
    assert [text_of(message) for message in page.answers] == ["1 2 3 ", GREETING]
    assert page.states("process_payment") == ["approval-requested"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_the_page_follows_what_is_said(page: Page) -> None:
    page.say(f"{PAY}\n/hang 0.2\n/say 3")
    page.wait_for_server_turn()
    page.resume()
    assert (page.status, page.error, page.text) == ("ready", None, "1 2 3 ")
    assert page.states("process_payment") == ["approval-requested"]
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert page.text == "1 2 3 \nI sent 50 USD to Hanako (balance 950)."
    assert (page.status, page.error, len(page.answers)) == ("ready", None, 1)
    page.model_context().assert_paired()
