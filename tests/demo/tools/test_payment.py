"""process_payment: what it is asked for with, and what is said of it."""

from typing import Any

import pytest

from adk_stream_protocol.demo.tools.payment import PAYMENT
from adk_stream_protocol.testing import Call
from tests.support.demo_phrases import report

PAID = {
    "success": True,
    "transaction_id": "txn-1",
    "amount": 50,
    "recipient": "花子",
    "currency": "USD",
    "wallet_balance": 950,
}
understand = PAYMENT.phrases.understand


def pay(amount: float, recipient: str, currency: str = "USD") -> Call:
    return Call("process_payment", {"amount": amount, "recipient": recipient, "currency": currency})


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("Send $50 to Hanako", pay(50, "Hanako")),
        ("Please send 50 dollars to Hanako.", pay(50, "Hanako")),
        ("Pay 12.50 EUR to Bob", pay(12.5, "Bob", "EUR")),
        ("Can you pay Bob 5 dollars?", pay(5, "Bob")),
        ("pay bob 5", pay(5, "bob")),
        ("Send $1,500.50 to Bob Smith for lunch", pay(1500.5, "Bob Smith")),
        ("Send -$5 to Bob", pay(-5, "Bob")),
        ("Transfer £5 to Bob", pay(5, "Bob", "GBP")),
        ("花子さんに50ドル送金してください", pay(50, "花子")),
        ("すみません、花子さんに50ドル送金してください", pay(50, "花子")),
        ("50ドルを花子さんに送金して", pay(50, "花子")),
        ("太郎に500円払って", pay(500, "太郎", "JPY")),
        ("Bobへ12.5ユーロ振り込んで", pay(12.5, "Bob", "EUR")),
    ],
)
def test_one_payment(message: str, call: Call) -> None:
    assert understand(message) == [[call]]


def test_whole_amounts_are_integers() -> None:
    ((call,),) = understand("Send $50 to Hanako")
    assert isinstance(call, Call) and type(call.args["amount"]) is int


@pytest.mark.parametrize(
    "message",
    [
        "Pay Alice $30 and Bob $40",
        "Send $30 to Alice and $40 to Bob",
        "Pay 30 dollars to Alice, 40 dollars to Bob",
        "Aliceに30ドル、Bobに40ドル送金してください",
        "Aliceさんに30ドルとBobさんに40ドルを送って",
    ],
)
def test_two_payments_at_once(message: str) -> None:
    assert understand(message) == [[pay(30, "Alice"), pay(40, "Bob")]]


@pytest.mark.parametrize(
    "message",
    [
        "Send $30 to Alice, then $40 to Bob",
        "Send $30 to Alice and then $40 to Bob",
        "Send $30 to Alice. Then send $40 to Bob.",
        "Pay Alice $30; after that pay Bob $40",
        "Aliceに30ドル、その後Bobに40ドル送金して",
        "Aliceに30ドル送金して、それからBobに40ドル送金して",
        "Aliceさんに30ドル送金してから、Bobさんに40ドル送金してください",
    ],
)
def test_two_payments_in_order(message: str) -> None:
    assert understand(message) == [[pay(30, "Alice")], [pay(40, "Bob")]]


@pytest.mark.parametrize("message", ["Send money to Bob", "Hanako, $50?", "送金して", ""])
def test_what_is_no_payment(message: str) -> None:
    assert understand(message) == []


def test_a_payment_that_was_made() -> None:
    english, japanese = report("process_payment", {}, PAID)
    assert english == "I sent 50 USD to 花子 (balance 950)."
    assert japanese == "花子さんに50 USDを送金しました（残高950）。"


@pytest.mark.parametrize(
    ("response", "english", "japanese"),
    [
        ({"error": "This tool call is rejected."}, "was denied", "承認されませんでした"),
        (
            {"error": "The user denied this call.", "reason": "Offer expired."},
            "was denied (Offer expired)",
            "承認されませんでした（Offer expired）",
        ),
        (
            {"error": "The call expired: nobody answered in time."},
            "expired before it was answered",
            "回答がないまま期限切れになりました",
        ),
        ({"error": "cancelled by the user"}, "was cancelled", "取り消されました"),
        (
            {"error": "outcome_unknown"},
            "has an unknown outcome: it may or may not have happened",
            "結果が不明です",
        ),
        (
            {"error": {"code": "outcome_unknown", "message": "It may have run."}},
            "has an unknown outcome: it may or may not have happened",
            "結果が不明です",
        ),
        (
            {"status": "outcome_unknown"},
            "has an unknown outcome: it may or may not have happened",
            "結果が不明です",
        ),
        (
            {"error": "This tool call requires confirmation, please approve or reject."},
            "is still waiting for an answer",
            "まだ回答待ちです",
        ),
        (None, "is still waiting for an answer", "まだ回答待ちです"),
        (
            {"error": "The wallet holds only 10 USD."},
            "failed (The wallet holds only 10 USD)",
            "失敗しました（The wallet holds only 10 USD）",
        ),
        ({"success": False, "message": "no\nway"}, "failed (no way)", "失敗しました（no way）"),
        ({"success": False}, "failed", "失敗しました"),
    ],
)
def test_a_payment_that_was_not_made(
    response: dict[str, Any] | None, english: str, japanese: str
) -> None:
    told = report("process_payment", {"amount": 50, "recipient": "花子"}, response)
    assert told == (
        f"The payment of 50 USD to 花子 {english}.",
        f"花子さんへの50 USDの送金は{japanese}。",
    )


def test_a_result_in_another_shape() -> None:
    english, japanese = report("process_payment", {}, {"note": "?"})
    assert english == 'The call of process_payment returned {"note": "?"}.'
    assert japanese == 'process_paymentの結果は{"note": "?"}です。'
