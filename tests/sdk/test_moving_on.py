"""A new message while something waits: the old card stays, the new turn answers."""

import pytest

from tests.sdk.conftest import OpenRaw
from tests.sdk.page import Page

HERE = {"latitude": 1.5, "longitude": 2.5, "accuracy": 10, "timestamp": 1700000000000}
CANCELLED = {"error": "The call was cancelled: the user went on without answering. It did not run."}


@pytest.mark.parametrize(
    ("asked", "tool", "state"),
    [
        ("Send $50 to Hanako", "process_payment", "approval-requested"),
        ("Where am I?", "get_location", "approval-requested"),
        ("Change the BGM to track 2", "change_bgm", "input-available"),
    ],
)
def test_the_new_turn_answers(page: Page, asked: str, tool: str, state: str) -> None:
    page.say(asked)
    page.say("Hello")
    assert page.states(tool) == [state]
    assert page.text == "Hello! What can I do for you?"
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    context = page.model_context()
    context.assert_paired()
    assert context.responses(tool) == [CANCELLED]


def test_a_click_on_the_old_card_posts_nothing(page: Page) -> None:
    page.say("Send $50 to Hanako")
    (card,) = page.asking()
    page.say("Hello")
    page.approve(card)
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    assert page.text == "Hello! What can I do for you?"
    page.say("Send $1 to Carol")
    page.approve()
    assert page.calls("process_payment")[-1]["output"]["wallet_balance"] == 999
    assert (page.status, page.error, page.post_count) == ("ready", None, 4)
    page.model_context().assert_paired()


def test_a_late_yes_gets_409_and_pays_nothing(open_raw: OpenRaw) -> None:
    chat = open_raw()
    asked = chat.say("Send $50 to Hanako")
    chat.say("Hello")
    late = chat.decide(asked.one("tool-approval-request"), approved=True)
    assert (late.status, late.code) == (409, "conflict")
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("process_payment") == [CANCELLED]


def test_a_late_location_gets_409(open_raw: OpenRaw) -> None:
    chat = open_raw()
    asked = chat.say("Where am I?")
    chat.say("Hello")
    late = chat.decide(asked.one("tool-approval-request"), approved=True, output=HERE)
    assert (late.status, late.code) == (409, "conflict")
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("get_location") == [CANCELLED]


def test_late_music_gets_409(open_raw: OpenRaw) -> None:
    chat = open_raw()
    asked = chat.say("Change the BGM to track 2")
    chat.say("Hello")
    late = chat.answer(
        {
            "type": "tool-change_bgm",
            "toolCallId": asked.one("tool-input-available")["toolCallId"],
            "state": "output-available",
            "output": {"success": True, "track": 2},
        }
    )
    assert (late.status, late.code) == (409, "conflict")
    assert chat.model_context().responses("change_bgm") == [CANCELLED]


def test_a_location_approved_and_then_forgotten(page: Page) -> None:
    page.say("Where am I?")
    page.approve()
    assert page.states("get_location") == ["input-available"]
    page.say("Hello")
    assert page.text == "Hello! What can I do for you?"
    context = page.model_context()
    context.assert_paired()
    assert context.responses("get_location") == [CANCELLED]
    assert (page.status, page.error) == ("ready", None)


def test_a_new_payment_while_an_old_one_waits(page: Page) -> None:
    page.say("Send $50 to Hanako")
    page.say("Send $20 to Taro")
    (card,) = page.asking()
    page.approve(card)
    assert page.states("process_payment") == ["approval-requested", "output-available"]
    assert page.calls("process_payment")[1]["output"]["wallet_balance"] == 980
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    page.model_context().assert_paired()
