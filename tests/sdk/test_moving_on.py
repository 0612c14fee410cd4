"""A new message while something waits: the old card stays, the new turn answers."""

import pytest

from tests.sdk.conftest import OpenRaw
from tests.support.sdk.context import ModelContext
from tests.support.sdk.page import Page
from tests.support.sdk.wires import HTTP, PARALLEL_SOCKET, SOCKET, Wire, over

pytestmark = over(HTTP, SOCKET, PARALLEL_SOCKET)

HERE = {"latitude": 1.5, "longitude": 2.5, "accuracy": 10, "timestamp": 1700000000000}
CANCELLED = {
    "error": "The call was cancelled: the user went on without answering. It did not run.",
    "outcome": "cancelled",
}


def forgotten(wire: Wire, tool: str) -> list[str]:
    """The calls that the model gets no response to."""
    return [] if wire.tells_of_cancelled else [tool]


def assert_cancelled(context: ModelContext, wire: Wire, tool: str) -> None:
    """The only call was cancelled, and that is what the model knows of it."""
    context.assert_paired(forgotten=forgotten(wire, tool))
    assert context.responses(tool) == ([CANCELLED] if wire.tells_of_cancelled else [])


@pytest.mark.parametrize(
    ("asked", "tool", "state"),
    [
        ("Send $50 to Hanako", "process_payment", "approval-requested"),
        ("Where am I?", "get_location", "approval-requested"),
        ("Change the BGM to track 2", "change_bgm", "input-available"),
    ],
)
def test_the_new_turn_answers(page: Page, wire: Wire, asked: str, tool: str, state: str) -> None:
    page.say(asked)
    page.say("Hello")
    assert page.states(tool) == [state]
    assert page.text == "Hello! What can I do for you?"
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    assert_cancelled(page.model_context(), wire, tool)


def test_a_click_on_the_old_card_posts_nothing(page: Page, wire: Wire) -> None:
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
    page.model_context().assert_paired(forgotten=forgotten(wire, "process_payment"))


def test_a_late_yes_gets_409_and_pays_nothing(open_raw: OpenRaw, wire: Wire) -> None:
    chat = open_raw()
    asked = chat.say("Send $50 to Hanako")
    chat.say("Hello")
    late = chat.decide(asked.one("tool-approval-request"), approved=True)
    assert (late.status, late.code) == (409, "conflict")
    assert_cancelled(chat.model_context(), wire, "process_payment")


def test_a_late_location_gets_409(open_raw: OpenRaw, wire: Wire) -> None:
    chat = open_raw()
    asked = chat.say("Where am I?")
    chat.say("Hello")
    late = chat.decide(asked.one("tool-approval-request"), approved=True, output=HERE)
    assert (late.status, late.code) == (409, "conflict")
    assert_cancelled(chat.model_context(), wire, "get_location")


def test_late_music_gets_409(open_raw: OpenRaw, wire: Wire) -> None:
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
    assert_cancelled(chat.model_context(), wire, "change_bgm")


def test_a_location_approved_and_then_forgotten(page: Page, wire: Wire) -> None:
    page.say("Where am I?")
    page.approve()
    assert page.states("get_location") == ["input-available"]
    page.say("Hello")
    assert page.text == "Hello! What can I do for you?"
    assert_cancelled(page.model_context(), wire, "get_location")
    assert (page.status, page.error) == ("ready", None)


def test_a_new_payment_while_an_old_one_waits(page: Page, wire: Wire) -> None:
    page.say("Send $50 to Hanako")
    page.say("Send $20 to Taro")
    (card,) = page.asking()
    page.approve(card)
    assert page.states("process_payment") == ["approval-requested", "output-available"]
    assert page.calls("process_payment")[1]["output"]["wallet_balance"] == 980
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    page.model_context().assert_paired(forgotten=forgotten(wire, "process_payment"))
