"""The one sentence that tells what became of the calls."""

from typing import Any

import pytest

from adk_stream_protocol.testing.english import English
from adk_stream_protocol.testing.exchange import Outcome
from adk_stream_protocol.testing.japanese import Japanese

PAID = {
    "success": True,
    "transaction_id": "txn-1",
    "amount": 50,
    "recipient": "花子",
    "currency": "USD",
    "wallet_balance": 950,
}
WEATHER = {"location": "東京", "temperature": 22, "unit": "C", "condition": "sunny", "humidity": 55}
HERE = {"latitude": 35.5, "longitude": 139.5, "accuracy": 10, "timestamp": 1}


@pytest.mark.parametrize(
    ("name", "response", "english", "japanese"),
    [
        (
            "process_payment",
            PAID,
            "I sent 50 USD to 花子 (balance 950).",
            "花子さんに50 USDを送金しました（残高950）。",
        ),
        (
            "get_weather",
            WEATHER,
            "It is 22 °C and sunny in 東京.",
            "東京の天気は晴れ、気温は22℃です。",
        ),
        (
            "get_location",
            HERE,
            "You are at latitude 35.5, longitude 139.5.",
            "現在地は緯度35.5、経度139.5です。",
        ),
        (
            "change_bgm",
            {"success": True, "track": 2},
            "The music is now track 2.",
            "BGMをトラック2に変更しました。",
        ),
        ("f", {"a": 1}, 'The call of f returned {"a": 1}.', 'fの結果は{"a": 1}です。'),
        ("get_weather", {"note": "?"}, "The call of get_weather", "get_weatherの結果は"),
    ],
)
def test_success(name: str, response: dict[str, Any], english: str, japanese: str) -> None:
    outcomes = [Outcome(name, {}, response)]
    assert English().report(outcomes).startswith(english)
    assert Japanese().report(outcomes).startswith(japanese)


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
def test_anything_but_success(response: dict[str, Any] | None, english: str, japanese: str) -> None:
    outcomes = [Outcome("process_payment", {"amount": 50, "recipient": "花子"}, response)]
    assert English().report(outcomes) == f"The payment of 50 USD to 花子 {english}."
    assert Japanese().report(outcomes) == f"花子さんへの50 USDの送金は{japanese}。"


@pytest.mark.parametrize(
    ("name", "args", "english", "japanese"),
    [
        ("get_weather", {"location": "X"}, "The weather request for X", "Xの天気の確認"),
        ("get_location", {}, "The request for your location", "現在地の確認"),
        ("change_bgm", {"track": 2}, "The change to track 2", "トラック2への変更"),
        ("f", {}, "The call of f", "fの呼び出し"),
    ],
)
def test_each_tool_has_its_subject(
    name: str, args: dict[str, Any], english: str, japanese: str
) -> None:
    outcomes = [Outcome(name, args, {"error": "cancelled"})]
    assert English().report(outcomes) == f"{english} was cancelled."
    assert Japanese().report(outcomes) == f"{japanese}は取り消されました。"


def test_several_calls_make_one_sentence() -> None:
    outcomes = [
        Outcome("process_payment", {}, PAID),
        Outcome("process_payment", {"amount": 40, "recipient": "Bob"}, {"error": "rejected"}),
        Outcome("change_bgm", {}, {"success": True, "track": 1}),
    ]
    assert English().report(outcomes) == (
        "I sent 50 USD to 花子 (balance 950), and the payment of 40 USD to Bob was denied,"
        " and the music is now track 1."
    )
    assert Japanese().report(outcomes) == (
        "花子さんに50 USDを送金し（残高950）、Bobへの40 USDの送金は承認されず、"
        "BGMをトラック1に変更しました。"
    )


def test_no_calls_still_make_a_sentence() -> None:
    assert English().report([]) == "There was nothing to do."
    assert Japanese().report([]) == "することはありませんでした。"


def test_long_results_are_cut() -> None:
    assert len(English().report([Outcome("f", {}, {"text": "x" * 10_000})])) < 250
