"""Two calls answered one after the other, by a client that does not wait for both."""

import pytest

from tests.sdk.conftest import OpenRaw
from tests.support.sdk.raw import RawChat, Reply
from tests.support.sdk.wires import HTTP, PARALLEL_SOCKET, over

# Where calls come one by one, there are no halves.
pytestmark = over(HTTP, PARALLEL_SOCKET)

HERE = {"latitude": 35.68, "longitude": 139.77, "accuracy": 10, "timestamp": 1700000000000}
TEXT_STEP = ["start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"]


@pytest.fixture
def chat(open_raw: OpenRaw) -> RawChat:
    return open_raw()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_both_approved(chat: RawChat, order: tuple[int, int]) -> None:
    requests = chat.say("Pay Alice $30 and Bob $40").of("tool-approval-request")
    first, second = (requests[index] for index in order)
    half = chat.decide(first, approved=True)
    assert half.types == ["start", "tool-output-available", "finish"]
    assert half.one("tool-output-available")["toolCallId"] == first["toolCallId"]
    assert half.one("finish")["finishReason"] == "tool-calls"
    whole = chat.decide(second, approved=True)
    assert whole.types == ["start", "tool-output-available", *TEXT_STEP]
    assert whole.one("tool-output-available")["toolCallId"] == second["toolCallId"]
    assert whole.one("tool-output-available")["output"]["wallet_balance"] == 930
    assert "to Alice" in whole.text and "to Bob" in whole.text
    context = chat.model_context()
    context.assert_paired()
    assert [told["recipient"] for told in context.responses("process_payment")] == ["Alice", "Bob"]


def test_the_first_denied(chat: RawChat) -> None:
    first, second = chat.say("Pay Alice $30 and Bob $40").of("tool-approval-request")
    half = chat.decide(first, approved=False, reason="not her")
    assert half.types == ["start", "data-approval", "tool-output-denied", "finish"]
    whole = chat.decide(second, approved=True)
    assert whole.types == ["start", "tool-output-available", *TEXT_STEP]
    assert whole.one("tool-output-available")["output"]["wallet_balance"] == 960
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("process_payment")[0]["reason"] == "not her"


def test_the_second_denied(chat: RawChat) -> None:
    first, second = chat.say("Pay Alice $30 and Bob $40").of("tool-approval-request")
    chat.decide(first, approved=True)
    whole = chat.decide(second, approved=False)
    assert whole.types == ["start", "data-approval", "tool-output-denied", *TEXT_STEP]
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("process_payment")[0]["wallet_balance"] == 970


def test_the_second_denied_before_the_first_is_approved(chat: RawChat) -> None:
    first, second = chat.say("Pay Alice $30 and Bob $40").of("tool-approval-request")
    chat.decide(second, approved=False)
    whole = chat.decide(first, approved=True)
    assert whole.text == (
        "I sent 30 USD to Alice (balance 970), and the payment of 40 USD to Bob was denied."
    )
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("process_payment")[0]["recipient"] == "Alice"


def test_a_repeated_half_answer_pays_once(chat: RawChat) -> None:
    first, second = chat.say("Pay Alice $30 and Bob $40").of("tool-approval-request")
    once = chat.decide(first, approved=True)
    again = chat.decide(first, approved=True)
    assert _outputs(again) == _outputs(once)
    whole = chat.decide(second, approved=True)
    assert whole.one("tool-output-available")["output"]["wallet_balance"] == 930
    chat.model_context().assert_paired()


def test_a_repeated_last_answer_gets_the_same_reply(chat: RawChat) -> None:
    (request,) = chat.say("Send $50 to Hanako").of("tool-approval-request")
    once = chat.decide(request, approved=True)
    again = chat.decide(request, approved=True)
    assert again.types == once.types
    assert (again.text, _outputs(again)) == (once.text, _outputs(once))
    chat.model_context().assert_paired()


def test_a_changed_mind_is_refused(chat: RawChat) -> None:
    (request,) = chat.say("Send $50 to Hanako").of("tool-approval-request")
    chat.decide(request, approved=False)
    late = chat.decide(request, approved=True)
    assert (late.status, late.code) == (409, "conflict")
    context = chat.model_context()
    context.assert_paired()
    assert "denied" in context.responses("process_payment")[0]["error"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_locations_reach_the_model_in_the_order_of_their_calls(
    chat: RawChat, order: tuple[int, int]
) -> None:
    # The model sees no ids: only the order tells it which result belongs to which call.
    calls = chat.say("/call get_location {}\n/call get_location {}").of("tool-approval-request")
    places = [HERE | {"latitude": 1}, HERE | {"latitude": 2}]
    for index in order:
        chat.decide(calls[index], approved=True, output=places[index])
    context = chat.model_context()
    context.assert_paired()
    assert context.responses("get_location") == places


def _outputs(reply: Reply) -> list[object]:
    return [chunk["output"] for chunk in reply.of("tool-output-available")]
