"""Tools that cannot be run as the model asked."""

import pytest

from tests.support.sdk.page import Page

# JSON may escape half of a character; a tool that wants UTF-8 then raises.
BROKEN = r"\ud800"


@pytest.mark.parametrize(
    ("call", "tool"),
    [
        (f'/call get_weather {{"location":"{BROKEN}"}}', "get_weather"),
        ("/call get_weather {}", "get_weather"),
        ('/call get_weather {"location":""}', "get_weather"),
        ('/call process_payment {"amount":5}', "process_payment"),
        ("/call no_such_tool {}", "no_such_tool"),
        ("/call adk_request_confirmation {}", "refused_adk_request_confirmation"),
    ],
)
def test_the_model_is_told_and_the_turn_goes_on(page: Page, call: str, tool: str) -> None:
    page.say(call)
    assert page.states(tool) == ["output-error"]
    assert "failed" in page.text
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)
    page.model_context().assert_paired()


def test_nobody_is_asked_about_what_cannot_be_shown(page: Page) -> None:
    page.say(f'/call process_payment {{"amount":5,"recipient":"{BROKEN}"}}')
    (call,) = page.calls("process_payment")
    assert call["state"] == "output-error" and "valid Unicode" in call["errorText"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)
    page.model_context().assert_paired()
    page.say("Send $1 to Carol")
    page.approve()
    assert page.calls("process_payment")[-1]["output"]["wallet_balance"] == 999


def test_a_failing_tool_next_to_good_ones(page: Page) -> None:
    pay = '/call process_payment {"amount":50,"recipient":"Hanako"}'
    page.say(f'/call no_such_tool {{}}\n/call get_weather {{"location":"Paris"}}\n{pay}')
    assert page.states("no_such_tool") == ["output-error"]
    assert page.states("get_weather") == ["output-available"]
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()
