"""Turns without approvals: text, reasoning, files, server tools, and a model that fails."""

import pytest

from tests.support.sdk.page import Page
from tests.support.sdk.wires import Wire

STEP = ["start-step", "text-start", "text-delta", "text-end", "finish-step"]


@pytest.mark.parametrize(
    ("greeting", "answer"),
    [("Hello", "Hello! What can I do for you?"), ("ありがとう", "どういたしまして！")],
)
def test_a_greeting(page: Page, greeting: str, answer: str) -> None:
    page.say(greeting)
    assert page.text == answer
    assert page.last_types == ["start", *STEP, "finish"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)


def test_the_weather(page: Page) -> None:
    page.say("What is the weather in London?")
    (call,) = page.calls("get_weather")
    assert call["state"] == "output-available"
    assert call["output"]["condition"] == "rainy"
    assert page.text == "It is 14 °C and rainy in London."
    assert page.browser_calls == []
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)


def test_reasoning(page: Page) -> None:
    page.say("/think The user wants to know\n/say 2")
    (reasoning,) = page.parts("reasoning")
    assert (reasoning["text"], reasoning["state"]) == ("The user wants to know", "done")
    assert page.text == "1 2 "


def test_an_image(page: Page) -> None:
    page.say("/say 1\n/image")
    (file,) = page.parts("file")
    assert file["mediaType"] == "image/png"
    assert file["url"].startswith("data:image/png;base64,")


def test_a_long_answer_is_one_text_part(page: Page) -> None:
    page.say("/say 500")
    (text,) = page.parts("text")
    assert text["text"] == "".join(f"{number} " for number in range(1, 501))
    assert text["state"] == "done"
    assert page.post_count == 1


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("/say 3\n/error 500", "model-unavailable"),
        ("/say 3\n/error 429", "model-busy"),
    ],
)
def test_a_model_that_fails_in_mid_stream(page: Page, message: str, code: str) -> None:
    page.say(message)
    assert page.status == "error"
    assert page.error is not None and code in page.error
    (text,) = page.parts("text")
    assert (text["text"], text["state"]) == ("1 2 3 ", "done")
    assert page.post_count == 1
    page.say("Hello")
    assert (page.status, page.error) == ("ready", None)
    assert page.text == "Hello! What can I do for you?"
    page.model_context().assert_paired()


def test_a_link_to_the_model_that_breaks(page: Page, wire: Wire) -> None:
    page.say("/drop 3")
    # A live dialogue is resumed where it broke off; a request is not made twice.
    assert page.status == ("ready" if wire.is_socket else "error")
    (text,) = page.parts("text")
    assert (text["text"], text["state"]) == ("1 2 3 ", "done")
    assert page.post_count == 1
    page.say("Hello")
    assert (page.status, page.error) == ("ready", None)
    assert page.text == "Hello! What can I do for you?"
    page.model_context().assert_paired()


def test_a_model_that_fails_before_it_says_anything(page: Page) -> None:
    page.say("/error SAFETY")
    assert page.status == "error"
    assert page.error is not None and "content-filter" in page.error
    page.say("Hello")
    assert (page.status, page.text) == ("ready", "Hello! What can I do for you?")


def test_an_answer_cut_by_the_filter_keeps_its_text(page: Page) -> None:
    page.say("/say 3\n/error SAFETY")
    assert page.text == "1 2 3 "
    assert page.last_post["chunks"][-1]["finishReason"] == "content-filter"
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)


def test_a_model_that_fails_after_a_tool(page: Page) -> None:
    page.say('/call get_weather {"location":"Paris"}\n/then\n/say 2\n/error 503')
    assert page.status == "error"
    assert page.states("get_weather") == ["output-available"]
    assert page.text == "1 2 "
    page.model_context().assert_paired()
