"""All phrases of the demo together: which tool a message is for, courtesy, and the rest."""

import pytest

from adk_stream_protocol.testing import Call, Outcome
from tests.support.demo_phrases import reports, understand, words

ABILITIES = "I can tell you the weather, send money, find out where you are and change the music."
ABILITIES_JA = "天気の案内、送金、現在地の確認、BGMの変更ができます。"


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Hello", "Hello! What can I do for you?"),
        ("Good morning!", "Hello! What can I do for you?"),
        ("こんにちは", "こんにちは！ご用件をどうぞ。"),
        ("おはようございます", "こんにちは！ご用件をどうぞ。"),
        ("Thanks!", "You are welcome!"),
        ("Thank you so much", "You are welcome!"),
        ("ありがとう", "どういたしまして！"),
        ("Tell me a joke", ABILITIES),
        ("Send money to Bob", ABILITIES),
        ("冗談を言って", ABILITIES_JA),
        ("", ABILITIES),
    ],
)
def test_words(message: str, answer: str) -> None:
    assert words(message) == answer


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("Pay Bob 3 dollars for the music", "process_payment"),
        ("What is the weather at my location?", "get_location"),
        ("Play track 2 for this weather", "change_bgm"),
        ("Hello, what is the weather in Paris?", "get_weather"),
    ],
)
def test_the_plainer_request_comes_first(message: str, tool: str) -> None:
    (call,) = understand(message)
    assert isinstance(call, Call) and call.name == tool


def test_full_width_digits_are_digits() -> None:
    (call,) = understand("太郎に５００円払って")
    assert isinstance(call, Call) and call.args["amount"] == 500


def test_directives_come_before_phrases() -> None:
    assert understand("Send $5 to Bob\n/call f") == [Call("f")]


def test_a_very_long_message_is_no_burden() -> None:
    assert words("send " + "に" * 1_000_000) == ABILITIES_JA


def test_several_calls_make_one_sentence() -> None:
    paid = {"amount": 50, "recipient": "花子", "wallet_balance": 950}
    english, japanese = reports(
        Outcome("process_payment", {}, paid),
        Outcome("process_payment", {"amount": 40, "recipient": "Bob"}, {"error": "rejected"}),
        Outcome("change_bgm", {}, {"success": True, "track": 1}),
    )
    assert english == (
        "I sent 50 USD to 花子 (balance 950), and the payment of 40 USD to Bob was denied,"
        " and the music is now track 1."
    )
    assert japanese == (
        "花子さんに50 USDを送金し（残高950）、Bobへの40 USDの送金は承認されず、"
        "BGMをトラック1に変更しました。"
    )


def test_no_calls_still_make_a_sentence() -> None:
    assert reports() == ("There was nothing to do.", "することはありませんでした。")


def test_a_call_of_no_tool_of_the_demo() -> None:
    assert reports(Outcome("f", {}, {"a": 1})) == (
        'The call of f returned {"a": 1}.',
        'fの結果は{"a": 1}です。',
    )
    assert reports(Outcome("f", {}, {"error": "cancelled"})) == (
        "The call of f was cancelled.",
        "fの呼び出しは取り消されました。",
    )
