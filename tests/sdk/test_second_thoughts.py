"""Answers asked for again and messages written anew, through the history of the server."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.sdk.judge import Judge
from tests.support.sdk.page import Page
from tests.support.sdk.wires import HTTP, Major, over
from tests.support.servers.demo import DemoServer

Json = dict[str, Any]
Stored = Callable[[Page], list[Json]]
Reopen = Callable[[Page, list[Json]], Page]
pytestmark = over(HTTP)


@pytest.fixture
def stored(server: DemoServer, headers: dict[str, str]) -> Stored:
    """What the server has of the chat of a page."""

    def stored(page: Page) -> list[Json]:
        address = f"{server.url}/api/chat/{page.id}/messages"
        answer = httpx.get(address, headers=headers, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return stored


@pytest.fixture
def reopen(server: DemoServer, judge: Judge, major: Major, headers: dict[str, str]) -> Reopen:
    """The chat of a page in a new one, with these messages."""

    def reopen(page: Page, messages: list[Json]) -> Page:
        api = f"{server.url}/api/chat"
        options = {"major": major, "api": api, "headers": headers, "helpers": "both"}
        return Page(judge, **options, id=page.id, messages=messages)

    return reopen


def test_the_ids_of_a_page_are_the_stored_ids(page: Page, stored: Stored) -> None:
    page.say("hello")
    page.say("Send $50 to Hanako")
    page.approve()
    assert stored(page) == page.messages


def test_the_last_answer_again(page: Page, stored: Stored) -> None:
    page.say("hello")
    page.say("/say 2")
    before = page.messages
    page.regenerate()
    assert (page.status, page.error, page.text) == ("ready", None, "1 2 ")
    assert page.messages[:3] == before[:3] and page.messages[3]["id"] != before[3]["id"]
    assert stored(page) == page.messages
    assert page.model_context().texts("user") == ["hello", "/say 2", "/echo"]


def test_an_earlier_answer_again(page: Page, stored: Stored) -> None:
    page.say("/say 1")
    page.say("/say 2")
    page.regenerate(page.answers[0]["id"])
    assert [one["role"] for one in page.messages] == ["user", "assistant"]
    assert stored(page) == page.messages
    assert page.model_context().texts("user") == ["/say 1", "/echo"]


def test_a_message_written_anew(page: Page, stored: Stored) -> None:
    page.say("/say 1")
    page.say("/say 2")
    page.say("/say 3")
    page.rewrite(page.messages[2]["id"], "/say 4")
    assert [one["role"] for one in page.messages] == ["user", "assistant"] * 2
    assert page.text == "1 2 3 4 " and stored(page) == page.messages
    assert page.model_context().texts("user") == ["/say 1", "/say 4", "/echo"]


def test_second_thoughts_after_a_reload(page: Page, stored: Stored, reopen: Reopen) -> None:
    page.say("/say 1")
    page.say("/say 2")
    reloaded = reopen(page, stored(page))
    reloaded.rewrite(reloaded.messages[0]["id"], "/say 3")
    assert reloaded.text == "1 2 3 " and stored(reloaded) == reloaded.messages
    reloaded.regenerate()
    assert stored(reloaded) == reloaded.messages
    assert reloaded.model_context().texts("user") == ["/say 3", "/echo"]
    reloaded.close()


def test_an_open_request_is_withdrawn_with_its_answer(page: Page, stored: Stored) -> None:
    page.say("Send $50 to Hanako")
    (old,) = page.asking()
    page.regenerate()
    (new,) = page.asking()
    assert new["approval"]["id"] != old["approval"]["id"]
    page.approve()
    assert page.text == "I sent 50 USD to Hanako (balance 950)."
    assert stored(page) == page.messages
    page.model_context().assert_paired()


def test_a_message_whose_answer_failed_is_sent_again(page: Page, stored: Stored) -> None:
    page.say("hello")
    page.say("/error 429")
    assert page.error is not None
    page.regenerate()
    page.rewrite(page.messages[2]["id"], "/say 2")
    assert (page.error, page.text) == (None, "1 2 ")
    assert stored(page) == page.messages


def test_a_message_that_never_arrived_is_taken_as_new(
    page: Page, stored: Stored, reopen: Reopen
) -> None:
    page.say("hello")
    lost = {"id": "lost", "role": "user", "parts": [{"type": "text", "text": "/say 2"}]}
    reopened = reopen(page, [*stored(page), lost])
    reopened.regenerate()
    assert reopened.text == "1 2 " and stored(reopened) == reopened.messages
    reopened.close()


def test_resending_the_last_message_answers_it_again(
    page: Page, stored: Stored, reopen: Reopen
) -> None:
    page.say("/say 2")
    unanswered = reopen(page, stored(page)[:1])
    unanswered.resend()
    assert unanswered.text == "1 2 " and stored(unanswered) == unanswered.messages
    unanswered.close()
