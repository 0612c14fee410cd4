"""Stop: an `abort` frame ends the turn on the server, too."""

from tests.support.sdk.page import Page
from tests.support.sdk.wires import PARALLEL_SOCKET, SOCKET, over

# Over HTTP the SDK tells the server nothing: a closed connection may as well be a reload.
pytestmark = over(SOCKET, PARALLEL_SOCKET)

PAY = '/call process_payment {"amount":50,"recipient":"Hanako"}'


def test_a_stopped_answer(page: Page) -> None:
    page.begin("/say 3\n/hang 600\n/say 2", until="1 2 3 ")
    page.stop()
    assert_stopped(page)
    assert page.text == "1 2 3 "
    page.say("Hello")
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    assert page.text == "Hello! What can I do for you?"
    page.model_context().assert_paired()


def test_an_answer_stopped_before_it_began(page: Page) -> None:
    page.begin("Hello", until="Hello")
    page.rest()
    page.begin("/hang 600", until="Hello")
    page.stop()
    assert (page.status, page.error, page.aborts) == ("ready", None, 1)
    page.say("Hello")
    assert (page.status, page.error, page.text) == ("ready", None, "Hello! What can I do for you?")


def test_stopped_after_a_payment(page: Page) -> None:
    page.say(f"{PAY}\n/then\n/say 2\n/hang 600")
    (card,) = page.asking()
    page.approve(card, until="1 2 ")
    page.stop()
    assert_stopped(page)
    (call,) = page.calls("process_payment")
    assert call["output"]["wallet_balance"] == 950
    page.say("Send $1 to Carol")
    page.approve()
    assert page.calls("process_payment")[-1]["output"]["wallet_balance"] == 949
    assert (page.status, page.error) == ("ready", None)
    page.model_context().assert_paired()


def test_a_payment_asked_for_after_a_stop(page: Page) -> None:
    page.begin("/say 3\n/hang 600", until="1 2 3 ")
    page.stop()
    page.say("Send $50 to Hanako")
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    page.model_context().assert_paired()


def test_stop_when_nothing_runs(page: Page) -> None:
    page.say("Send $50 to Hanako")
    page.stop()
    assert (page.aborts, page.states("process_payment")) == (0, ["approval-requested"])
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)


def assert_stopped(page: Page) -> None:
    """It is at rest, and the server has ended the turn as every other."""
    assert (page.status, page.error, page.aborts) == ("ready", None, 1)
    assert page.last_post["outcome"] == "done"
    assert page.last_types[-3:] == ["text-end", "finish-step", "finish"]
