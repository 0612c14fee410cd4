"""Several kinds of calls in one model turn."""

from tests.sdk.conftest import OpenPage
from tests.sdk.page import Page

PAY = '/call process_payment {"amount":50,"recipient":"Hanako"}'
MUSIC = '/call change_bgm {"track":2}'
WEATHER = '/call get_weather {"location":"London"}'
LOCATION = "/call get_location {}"
PLAYED = {"success": True, "track": 2}
HERE = {"latitude": 1.5, "longitude": 2.5, "accuracy": 10, "timestamp": 1700000000000}


def test_one_post_carries_a_decision_and_a_browser_result(page: Page) -> None:
    page.say(f"{PAY}\n{MUSIC}")
    page.run(page.calls("change_bgm")[0], PLAYED)
    assert page.post_count == 1
    page.approve()
    _assert_paid_and_played(page)


def test_one_post_carries_both_in_the_other_order(open_page: OpenPage) -> None:
    page = open_page("approvals")
    page.say(f"{MUSIC}\n{PAY}")
    page.approve()
    assert page.post_count == 1
    page.run(page.calls("change_bgm")[0], PLAYED)
    _assert_paid_and_played(page)


def _assert_paid_and_played(page: Page) -> None:
    (payment,) = page.calls("process_payment")
    assert payment["state"] == "output-available"
    assert payment["output"]["wallet_balance"] == 950
    assert page.states("change_bgm") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    assert len(page.parts("text")) == 1
    context = page.model_context()
    context.assert_paired()
    assert context.responses("change_bgm") == [PLAYED]


def test_a_denied_payment_next_to_music(page: Page) -> None:
    page.say(f"{PAY}\n{MUSIC}")
    page.deny(reason="no")
    page.run(page.calls("change_bgm")[0], PLAYED)
    assert page.states("process_payment") == ["output-denied"]
    assert page.states("change_bgm") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_the_weather_does_not_wait_for_a_payment(page: Page) -> None:
    page.say(f"{WEATHER}\n{PAY}")
    assert page.states("get_weather") == ["output-available"]
    assert page.states("process_payment") == ["approval-requested"]
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    assert "rainy" in page.text and "I sent 50 USD" in page.text
    page.model_context().assert_paired()


def test_the_weather_does_not_wait_for_music(page: Page) -> None:
    page.say(f"{WEATHER}\n{MUSIC}")
    assert page.states("get_weather") == ["output-available"]
    assert page.browser_calls == ["change_bgm"]
    page.run(page.calls("change_bgm")[0], PLAYED)
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_a_payment_next_to_a_location(page: Page) -> None:
    page.say(f"{PAY}\n{LOCATION}")
    page.approve()
    assert page.states("process_payment") == ["output-available"]
    assert page.states("get_location") == ["input-available"]
    assert (page.text, page.post_count) == ("", 2)
    page.run(page.calls("get_location")[0], HERE)
    assert page.states("get_location") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    assert len(page.parts("text")) == 1
    page.model_context().assert_paired()


def test_a_denied_payment_next_to_a_location(page: Page) -> None:
    page.say(f"{PAY}\n{LOCATION}")
    payment, location = page.asking()
    page.deny(payment)
    page.approve(location)
    assert page.states("process_payment") == ["output-denied"]
    assert page.states("get_location") == ["input-available"]
    page.run(location, HERE)
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    assert "was denied" in page.text and "latitude 1.5" in page.text
    page.model_context().assert_paired()


def test_a_denied_location_next_to_music(page: Page) -> None:
    page.say(f"{LOCATION}\n{MUSIC}")
    page.deny()
    assert page.post_count == 1
    page.run(page.calls("change_bgm")[0], PLAYED)
    assert page.states("get_location") == ["output-denied"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_music_after_a_payment(page: Page) -> None:
    page.say(f"{PAY}\n/then\n{MUSIC}")
    page.approve()
    assert page.states("change_bgm") == ["input-available"]
    page.run(page.calls("change_bgm")[0], PLAYED)
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    assert len(page.parts("text")) == 1
    page.model_context().assert_paired()


def test_a_payment_after_music(page: Page) -> None:
    page.say(f"{MUSIC}\n/then\n{PAY}")
    page.run(page.calls("change_bgm")[0], PLAYED)
    assert page.states("process_payment") == ["approval-requested"]
    page.approve()
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    assert len(page.parts("text")) == 1
    page.model_context().assert_paired()


def test_everything_at_once(open_page: OpenPage) -> None:
    page = open_page("patient")
    page.say("\n".join([WEATHER, PAY, LOCATION, MUSIC]))
    payment, location = page.asking()
    page.run(page.calls("change_bgm")[0], PLAYED)
    page.approve(location)
    page.run(location, HERE)
    assert page.post_count == 1
    page.approve(payment)
    (call,) = page.calls("process_payment")
    assert call["output"]["wallet_balance"] == 950
    assert page.states("get_location") == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


def test_text_before_a_call_stays_before_it(page: Page) -> None:
    page.say(f"/say 2\n{PAY}\n/then\n/say 3")
    assert page.text == "1 2 "
    page.approve()
    assert [part["text"] for part in page.parts("text")] == ["1 2 ", "1 2 3 "]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()
