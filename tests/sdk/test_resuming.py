"""A page that is opened while a turn runs reads it from its first chunk."""

from tests.sdk.conftest import OpenPage
from tests.support.sdk.page import Json, Page
from tests.support.sdk.wires import SOCKET, over

PAY = '/call process_payment {"amount":50,"recipient":"Hanako"}'
SLOW = "/say 3\n/hang 2\n/say 2"
WHOLE = "1 2 3 1 2 "


def reloaded(open_page: OpenPage, page: Page, messages: list[Json] | None = None) -> Page:
    """The same chat in a page that shows only what the user typed, or these messages."""
    page.leave()
    typed = [message for message in page.messages if message["role"] == "user"]
    return open_page(id=page.id, messages=typed if messages is None else messages)


def test_nothing_to_resume(page: Page) -> None:
    page.resume()
    assert (page.last_resume["outcome"], page.status, page.error) == ("none", "ready", None)
    page.say("Send $50 to Hanako")
    page.resume()
    assert (page.last_resume["outcome"], page.status, page.error) == ("none", "ready", None)
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)


def test_a_running_answer(open_page: OpenPage) -> None:
    page = open_page()
    page.begin(SLOW, until="1 2 3 ")
    again = reloaded(open_page, page)
    again.resume()
    assert (again.status, again.error, again.text) == ("ready", None, WHOLE)
    message_id = page.answers[0]["id"]
    assert again.last_resume["chunks"][0] == {"type": "start", "messageId": message_id}
    assert [message["id"] for message in again.answers] == [message_id]
    again.say("Hello")
    assert (again.status, again.error, again.post_count) == ("ready", None, 1)
    assert again.text == "Hello! What can I do for you?"


@over(SOCKET)
def test_a_running_answer_replaces_its_beginning(open_page: OpenPage) -> None:
    page = open_page()
    page.begin(SLOW, until="1 2 3 ")
    again = reloaded(open_page, page, messages=page.messages)
    again.resume()
    assert (again.status, again.error, again.text) == ("ready", None, WHOLE)
    assert len(again.answers) == 1


@over(SOCKET)
def test_a_resumed_answer_can_be_stopped(open_page: OpenPage) -> None:
    page = open_page()
    page.begin("/say 3\n/hang 600", until="1 2 3 ")
    again = reloaded(open_page, page)
    again.resume(until="1 2 3 ")
    again.stop()
    assert (again.status, again.error, again.aborts) == ("ready", None, 1)
    assert again.last_resume["outcome"] == "done"
    again.say("Hello")
    assert (again.status, again.text) == ("ready", "Hello! What can I do for you?")


@over(SOCKET)
def test_an_approval_asked_for_after_the_reload(open_page: OpenPage) -> None:
    page = open_page()
    page.begin(f"/say 3\n/hang 2\n{PAY}", until="1 2 3 ")
    again = reloaded(open_page, page)
    again.resume()
    assert again.states("process_payment") == ["approval-requested"]
    again.approve()
    assert again.states("process_payment") == ["output-available"]
    assert (again.status, again.error, again.post_count) == ("ready", None, 1)
    assert len(again.answers) == 1


@over(SOCKET)
def test_a_lost_connection(page: Page) -> None:
    page.begin(SLOW, until="1 2 3 ")
    page.leave()
    assert page.status == "error"
    page.resume()
    assert (page.status, page.error, page.text) == ("ready", None, WHOLE)
    assert len(page.answers) == 1
