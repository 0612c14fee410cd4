"""Two turns at the same time: of one chat, and of two chats on one socket."""

from tests.sdk.conftest import OpenPage
from tests.support.sdk.page import Page, text_of
from tests.support.sdk.wires import SOCKET, over

SLOW = "/say 3\n/hang 2\n/say 2"
WHOLE = "1 2 3 1 2 "
GREETING = "Hello! What can I do for you?"


def test_the_second_turn_of_a_chat_is_refused_and_the_first_goes_on(page: Page) -> None:
    page.begin(SLOW, until="1 2 3 ")
    page.say("Hello")
    assert page.refusal == "busy"
    assert [post["outcome"] for post in page.posts] == ["done", "refused"]
    assert [text_of(message) for message in page.answers] == [WHOLE]
    page.say("Hello")
    assert (page.status, page.error, page.text) == ("ready", None, GREETING)
    assert WHOLE in page.model_context().texts("model")


@over(SOCKET)
def test_an_answer_of_one_chat_while_another_one_speaks(open_page: OpenPage) -> None:
    first = open_page()
    first.begin(SLOW, until="1 2 3 ")
    second = open_page(beside=first.number)
    second.say("Send $50 to Hanako")
    second.approve()
    assert second.states("process_payment") == ["output-available"]
    assert (second.status, second.error) == ("ready", None)
    first.rest()
    assert (first.status, first.error, first.text) == ("ready", None, WHOLE)
