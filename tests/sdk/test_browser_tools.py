"""Tools that the browser runs, with and without approval."""

import pytest

from tests.sdk.conftest import OpenPage
from tests.support.sdk.answers import no, output, yes
from tests.support.sdk.page import Helpers, Page
from tests.support.sdk.wires import HTTP, PARALLEL_SOCKET, SOCKET, Wire, over

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
TEXT = "You are at latitude 35.68, longitude 139.77."
TOOL = "get_location"
CALL_TWICE = "/call get_location {}\n/call get_location {}"


def test_a_location_with_approval_and_result_together(open_page: OpenPage) -> None:
    page = open_page("patient")
    page.say("Where am I?")
    (card,) = page.asking()
    page.approve(card)
    assert page.post_count == 1
    page.run(card, HERE)
    assert page.states("get_location") == ["output-available"]
    assert page.text == TEXT
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    context = page.model_context()
    context.assert_paired()
    assert context.responses("get_location") == [HERE]


def test_a_location_with_the_result_after_the_approval(page: Page) -> None:
    page.say("Where am I?")
    assert page.states("get_location") == ["approval-requested"]
    page.approve()
    (call,) = page.calls("get_location")
    assert (call["state"], call["approval"]["approved"]) == ("input-available", True)
    assert page.last_types == ["start", "tool-input-available", "finish"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.run(call, HERE)
    assert page.states("get_location") == ["output-available"]
    assert page.text == TEXT
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    context = page.model_context()
    context.assert_paired()
    assert context.responses("get_location") == [HERE]


def test_a_denied_location(page: Page) -> None:
    page.say("Where am I?")
    page.deny(reason="private")
    assert page.states("get_location") == ["output-denied"]
    assert page.text == "The request for your location was denied (private)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    context = page.model_context()
    context.assert_paired()
    assert context.responses("get_location")[0]["reason"] == "private"


@pytest.mark.parametrize("helpers", ["both", "patient"])
def test_a_browser_that_cannot_find_the_location(open_page: OpenPage, helpers: Helpers) -> None:
    page = open_page(helpers)
    page.say("Where am I?")
    page.approve()
    (call,) = page.calls("get_location")
    page.fail(call, "Position unavailable")
    (call,) = page.calls("get_location")
    assert (call["state"], call["errorText"]) == ("output-error", "Position unavailable")
    assert page.text == "The request for your location failed (Position unavailable)."
    assert (page.status, page.error) == ("ready", None)
    assert page.post_count == (3 if helpers == "both" else 2)
    page.model_context().assert_paired()


def test_a_result_of_the_wrong_shape_is_refused_and_may_be_corrected(page: Page) -> None:
    page.say("Where am I?")
    page.approve()
    (call,) = page.calls("get_location")
    page.run(call, {"latitude": "north"})
    assert (page.status, page.refusal) == ("error", "malformed")
    page.run(call, HERE)
    assert (page.status, page.text) == ("ready", TEXT)
    page.model_context().assert_paired()


def test_a_result_before_the_approval_is_kept_and_the_page_asks_again(page: Page) -> None:
    page.say("Where am I?")
    (card,) = page.asking()
    page.run(card, HERE)
    assert page.states("get_location") == ["approval-requested"]
    assert (page.status, page.error, page.text, page.post_count) == ("ready", None, "", 2)
    page.approve()
    assert page.states("get_location") == ["output-available"]
    assert page.text == TEXT
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    assert page.model_context().responses("get_location") == [HERE]


@over(HTTP, SOCKET, PARALLEL_SOCKET)
@pytest.mark.parametrize("denied", [0, 1])
def test_two_locations_at_once_one_denied(page: Page, wire: Wire, denied: int) -> None:
    page.say(CALL_TWICE)
    allowed = 1 - denied
    answers = [no(TOOL, denied), yes(TOOL, allowed), output(TOOL, HERE, allowed)]
    for _ in page.settle(*answers):
        assert page.text == ""
    assert page.states(TOOL)[denied] == "output-denied"
    assert page.states(TOOL)[allowed] == "output-available"
    sends = 3 if wire.calls_at_once else 4
    assert (page.status, page.error, page.post_count) == ("ready", None, sends)
    assert "was denied" in page.text and "latitude 35.68" in page.text
    context = page.model_context()
    context.assert_paired()
    assert context.responses(TOOL)[allowed] == HERE


@over(HTTP, SOCKET, PARALLEL_SOCKET)
def test_two_locations_at_once_do_not_mix(page: Page, wire: Wire) -> None:
    page.say(CALL_TWICE)
    places = [HERE | {"latitude": 1.5}, HERE]
    outputs = [output(TOOL, places[1], 1), output(TOOL, places[0], 0)]
    for _ in page.settle(yes(TOOL, 0), yes(TOOL, 1), *outputs):
        assert page.text == ""
    sends = 3 if wire.calls_at_once else 5
    assert (page.status, page.error, page.post_count) == ("ready", None, sends)
    context = page.model_context()
    context.assert_paired()
    assert context.responses(TOOL) == places


@pytest.mark.parametrize("helpers", ["both", "tools"])
@pytest.mark.parametrize("message", ["Change the BGM to track 2", "BGMをトラック2に変更して"])
def test_the_music_needs_no_approval(open_page: OpenPage, helpers: Helpers, message: str) -> None:
    page = open_page(helpers)
    page.say(message)
    (call,) = page.calls("change_bgm")
    assert (call["state"], call["input"]) == ("input-available", {"track": 2})
    assert page.browser_calls == ["change_bgm"]
    assert page.post_count == 1
    page.run(call, {"success": True, "track": 2})
    assert page.states("change_bgm") == ["output-available"]
    assert len(page.parts("text")) == 1
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_music_that_cannot_be_played(page: Page) -> None:
    page.say("Change the BGM to track 2")
    page.fail(page.calls("change_bgm")[0], "No speakers")
    assert page.states("change_bgm") == ["output-error"]
    assert page.text == "The change to track 2 failed (No speakers)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_two_changes_of_music_in_order(page: Page) -> None:
    page.say('/call change_bgm {"track":1}\n/then\n/call change_bgm {"track":3}')
    page.run(page.calls("change_bgm")[0], {"success": True, "track": 1})
    assert page.states("change_bgm") == ["output-available", "input-available"]
    page.run(page.calls("change_bgm")[1], {"success": True, "track": 3})
    assert page.states("change_bgm") == ["output-available"] * 2
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    page.model_context().assert_paired()
