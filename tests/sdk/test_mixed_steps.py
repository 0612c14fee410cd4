"""Several kinds of calls in one model turn, and in turns one after the other."""

from dataclasses import dataclass

import pytest

from tests.sdk.conftest import OpenPage
from tests.support.sdk.answers import Answer, no, output, yes
from tests.support.sdk.page import Helpers, Page
from tests.support.sdk.wires import HTTP, PARALLEL_SOCKET, SOCKET, Wire, over

PAYMENT, LOCATION, MUSIC, WEATHER = "process_payment", "get_location", "change_bgm", "get_weather"
CALLS = {
    PAYMENT: '/call process_payment {"amount":50,"recipient":"Hanako"}',
    LOCATION: "/call get_location {}",
    MUSIC: '/call change_bgm {"track":2}',
    WEATHER: '/call get_weather {"location":"London"}',
}
SHOWN_FIRST = {
    PAYMENT: "approval-requested",
    LOCATION: "approval-requested",
    MUSIC: "input-available",
    WEATHER: "output-available",
}
PLAYED = {"success": True, "track": 2}
HERE = {"latitude": 1.5, "longitude": 2.5, "accuracy": 10, "timestamp": 1700000000000}
OUTPUTS = {MUSIC: PLAYED, LOCATION: HERE}
WORDS = {PAYMENT: "I sent 50 USD", LOCATION: "latitude 1.5", MUSIC: "2", WEATHER: "rainy"}

PLAY, LOOK = output(MUSIC, PLAYED), output(LOCATION, HERE)


@dataclass(frozen=True)
class Case:
    """Calls, what is answered in this order, and how often the page sends."""

    calls: tuple[str, ...]
    answers: tuple[Answer, ...]
    sends: int
    sends_one_by_one: int
    """Where a live model makes one call at a time."""
    helpers: Helpers = "both"

    @property
    def message(self) -> str:
        return "\n".join(CALLS[call] for call in self.calls)

    def shown_first(self, wire: Wire) -> dict[str, list[str]]:
        """What the cards show before the first answer."""
        shown: dict[str, list[str]] = {}
        for call in self.calls:
            shown[call] = [SHOWN_FIRST[call]]
            if not wire.calls_at_once and call != WEATHER:
                break
        return shown

    def shown_last(self) -> dict[str, list[str]]:
        """What they show in the end."""
        denied = {answer.tool for answer in self.answers if answer.value is False}
        return {
            call: ["output-denied" if call in denied else "output-available"] for call in self.calls
        }


CASES = {
    "payment-music": Case((PAYMENT, MUSIC), (PLAY, yes(PAYMENT)), 2, 3),
    "denied-payment-music": Case((PAYMENT, MUSIC), (no(PAYMENT, reason="no"), PLAY), 2, 3),
    "weather-payment": Case((WEATHER, PAYMENT), (yes(PAYMENT),), 2, 2),
    "weather-music": Case((WEATHER, MUSIC), (PLAY,), 2, 2),
    "payment-location": Case((PAYMENT, LOCATION), (yes(PAYMENT), yes(LOCATION), LOOK), 3, 4),
    "denied-payment-location": Case((PAYMENT, LOCATION), (no(PAYMENT), yes(LOCATION), LOOK), 3, 4),
    "denied-location-music": Case((LOCATION, MUSIC), (no(LOCATION), PLAY), 2, 3),
    "everything": Case(
        (WEATHER, PAYMENT, LOCATION, MUSIC),
        (PLAY, yes(LOCATION), LOOK, yes(PAYMENT)),
        2,
        4,
        helpers="patient",
    ),
}


@over(HTTP, SOCKET, PARALLEL_SOCKET)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_calls_of_one_model_turn(open_page: OpenPage, wire: Wire, case: Case) -> None:
    page = open_page(case.helpers)
    page.say(case.message)
    assert _shown(page) == case.shown_first(wire)
    for _ in page.settle(*case.answers):
        assert page.text == ""
    assert _shown(page) == case.shown_last()
    sends = case.sends if wire.calls_at_once else case.sends_one_by_one
    assert (page.status, page.error, page.post_count) == ("ready", None, sends)
    assert len(page.parts("text")) == 1
    done = [call for call, states in case.shown_last().items() if states == ["output-available"]]
    assert all(WORDS[call] in page.text for call in done)
    if PAYMENT in done:
        assert page.calls(PAYMENT)[0]["output"]["wallet_balance"] == 950
    assert WEATHER not in page.browser_calls
    context = page.model_context()
    context.assert_paired()
    for call in OUTPUTS.keys() & set(done):
        assert context.responses(call) == [OUTPUTS[call]]


def _shown(page: Page) -> dict[str, list[str]]:
    return {call: states for call in CALLS if (states := page.states(call))}


@over(HTTP, PARALLEL_SOCKET)
def test_one_post_carries_a_decision_and_then_a_browser_result(open_page: OpenPage) -> None:
    page = open_page("approvals")
    page.say(f"{CALLS[MUSIC]}\n{CALLS[PAYMENT]}")
    page.approve()
    assert page.post_count == 1
    page.run(page.calls(MUSIC)[0], PLAYED)
    assert page.states(PAYMENT) == page.states(MUSIC) == ["output-available"]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()


@pytest.mark.parametrize("calls", [(PAYMENT, MUSIC), (MUSIC, PAYMENT)], ids="-".join)
def test_calls_of_one_turn_after_the_other(page: Page, calls: tuple[str, str]) -> None:
    first, second = calls
    page.say(f"{CALLS[first]}\n/then\n{CALLS[second]}")
    assert _shown(page) == {first: [SHOWN_FIRST[first]]}
    answers = {PAYMENT: yes(PAYMENT), MUSIC: PLAY}
    for answer in page.settle(*(answers[call] for call in calls)):
        assert page.states(answer.tool) == [SHOWN_FIRST[answer.tool]]
    assert _shown(page) == {PAYMENT: ["output-available"], MUSIC: ["output-available"]}
    assert (page.status, page.error, page.post_count) == ("ready", None, 3)
    assert len(page.parts("text")) == 1
    page.model_context().assert_paired()


def test_text_before_a_call_stays_before_it(page: Page) -> None:
    page.say(f"/say 2\n{CALLS[PAYMENT]}\n/then\n/say 3")
    assert page.text == "1 2 "
    page.approve()
    assert [part["text"] for part in page.parts("text")] == ["1 2 ", "1 2 3 "]
    assert (page.status, page.error, page.post_count) == ("ready", None, 2)
    page.model_context().assert_paired()
