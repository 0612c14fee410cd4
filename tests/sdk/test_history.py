"""A page after a reload: it shows what it showed, and answers what was open."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from adk_stream_protocol.demo.identity import COOKIE, load_secret, sign
from tests.support.sdk.judge import FOLDER, Judge
from tests.support.sdk.page import Helpers, Major, Page
from tests.support.servers import history_demo
from tests.support.servers.demo import DemoServer

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}

_numbers = count()


class Validator(Judge):
    """The SDKs' own check of stored messages."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["node", FOLDER / "validate.mjs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(scope="module")
def validator() -> Iterator[Judge]:
    with Validator() as validator:
        yield validator


class Shop(DemoServer):
    """The demo with the route that this is about."""

    def start(self) -> "Shop":
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                history_demo.__name__,
                str(self.port),
                str(self.state),
            ],
            cwd=ROOT,
        )
        self._wait_until_ready()
        return self


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    shop = Shop(tmp_path_factory.mktemp("shop")).start()
    yield shop
    shop.stop()


class Browser:
    """One chat of one user, and the pages it is opened in."""

    def __init__(self, shop: Shop, judge: Judge, validator: Judge, major: Major) -> None:
        self._judge = judge
        self._validator = validator
        name = f"reload-{next(_numbers)}"
        cookie = f"{COOKIE}={sign(name, load_secret(shop.state))}"
        api = f"{shop.url}/api/chat"
        self._page: Json = {"major": major, "api": api, "id": name, "headers": {"cookie": cookie}}

    def open(self, helpers: Helpers = "both") -> Page:
        """A page of a new chat."""
        return Page(self._judge, **self._page, helpers=helpers)

    def reload(self, helpers: Helpers = "both") -> Page:
        """A page with what the server has stored."""
        return Page(self._judge, **self._page, helpers=helpers, messages=self.stored())

    def stored(self) -> list[Json]:
        address = f"{self._page['api']}/{self._page['id']}/messages"
        answer = httpx.get(address, headers=self._page["headers"], timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def valid(self) -> list[Json]:
        """What is stored, after the SDKs have checked it."""
        found = self.stored()
        assert self._validator.ask(messages=found)["faults"] == []
        return found


@pytest.fixture
def browser(shop: Shop, judge: Judge, validator: Judge, major: Major) -> Browser:
    return Browser(shop, judge, validator, major)


def without_ids(messages: list[Json]) -> list[Json]:
    return [{key: value for key, value in one.items() if key != "id"} for one in messages]


def talk(page: Page) -> None:
    page.say("hello")
    page.say("What is the weather in London?")


def think_and_draw(page: Page) -> None:
    page.say("/think let me see\n/say 2")
    page.say("/image")
    page.say("/call nosuch {}")


def pay_and_refuse(page: Page) -> None:
    page.say("Pay Alice $30 and Bob $40")
    first, second = page.asking()
    page.approve(first, reason="a debt")
    page.deny(second, reason="not him")


def pay_in_order(page: Page) -> None:
    page.say("Send $30 to Alice, then $40 to Bob")
    page.approve()
    page.approve()


def locate(page: Page) -> None:
    page.say("Where am I?")
    page.approve()
    page.run(page.calls("get_location")[-1], HERE)


def fail_to_locate(page: Page) -> None:
    page.say("Where am I?")
    page.approve()
    page.fail(page.calls("get_location")[-1], "no signal")


def play(page: Page) -> None:
    page.say("Change the BGM to track 2")
    page.run(page.calls("change_bgm")[-1], {"success": True, "track": 2})


def mix(page: Page) -> None:
    page.say(
        '/call process_payment {"amount": 5, "recipient": "Bob"}\n/call change_bgm {"track": 1}'
    )
    page.run(page.calls("change_bgm")[-1], {"success": True, "track": 1})
    page.approve()


def wait(page: Page) -> None:
    page.say("/say 2\n/call process_payment {}".replace("{}", '{"amount": 5, "recipient": "Bob"}'))


Story = Callable[[Page], None]
STORIES: list[Story] = [
    talk,
    think_and_draw,
    pay_and_refuse,
    pay_in_order,
    locate,
    fail_to_locate,
    play,
    mix,
    wait,
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_a_reload_shows_what_the_page_showed(browser: Browser, story: Story) -> None:
    page = browser.open()
    story(page)
    assert (page.status, page.error) == ("ready", None)
    assert without_ids(browser.valid()) == without_ids(page.messages)
    page.close()


def test_an_open_approval_is_answered_after_a_reload(browser: Browser) -> None:
    browser.open().say("Send $50 to Hanako")
    page = browser.reload()
    (card,) = page.asking()
    page.approve(card, reason="fine")
    assert page.states("process_payment") == ["output-available"]
    assert page.text == "I sent 50 USD to Hanako (balance 950)."
    assert (page.status, page.error, page.post_count) == ("ready", None, 1)
    assert len(page.answers) == 1
    assert browser.valid() == page.messages
    page.model_context().assert_paired()
    page.close()


def test_two_approvals_with_a_reload_before_each_answer(browser: Browser) -> None:
    browser.open().say("Pay Alice $30 and Bob $40")
    page = browser.reload("approvals")
    page.deny(page.asking()[0])
    assert page.post_count == 0  # the helper waits for both; the page is closed before
    page = browser.reload()
    assert page.states("process_payment") == ["approval-requested"] * 2
    page.approve(page.asking()[0])
    page.deny()
    assert page.states("process_payment") == ["output-available", "output-denied"]
    assert (page.post_count, len(page.answers)) == (1, 1)
    assert browser.valid() == page.messages
    page.close()


def test_a_browser_call_is_answered_after_a_reload(browser: Browser) -> None:
    browser.open().say("Change the BGM to track 2")
    page = browser.reload()
    (call,) = page.calls("change_bgm")
    assert call["state"] == "input-available"
    page.run(call, {"success": True, "track": 2})
    assert page.states("change_bgm") == ["output-available"]
    assert (page.status, page.post_count, len(page.answers)) == ("ready", 1, 1)
    assert browser.valid() == page.messages
    page.close()


def test_an_approved_browser_call_runs_after_a_reload(browser: Browser) -> None:
    page = browser.open()
    page.say("Where am I?")
    page.approve()
    page = browser.reload()
    (call,) = page.calls("get_location")
    assert (call["state"], call["approval"]["approved"]) == ("input-available", True)
    page.run(call, HERE)
    assert page.text == "You are at latitude 35.68, longitude 139.77."
    assert (page.status, page.post_count, len(page.answers)) == ("ready", 1, 1)
    assert browser.valid() == page.messages
    page.close()


def test_approval_and_result_together_after_a_reload(browser: Browser) -> None:
    browser.open().say("Where am I?")
    page = browser.reload("patient")
    (card,) = page.asking()
    page.approve(card)
    page.run(card, HERE)
    assert page.states("get_location") == ["output-available"]
    assert (page.post_count, len(page.answers)) == (1, 1)
    assert browser.valid() == page.messages
    page.close()


def test_a_reloaded_page_goes_on_talking(browser: Browser) -> None:
    browser.open().say("Send $50 to Hanako")
    page = browser.reload()
    page.say("never mind")
    assert [card["state"] for card in page.calls("process_payment")] == ["approval-requested"]
    page = browser.reload()
    assert page.states("process_payment") == ["output-error"]
    page.say("hello")
    assert (page.status, page.error) == ("ready", None)
    page.model_context().assert_paired()
    page.close()
