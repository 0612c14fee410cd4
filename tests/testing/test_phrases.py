"""Plain requests, in both languages, and the calls or words that answer them."""

from typing import Any

import pytest

from adk_stream_protocol.testing.actions import Call, Say
from adk_stream_protocol.testing.english import English
from adk_stream_protocol.testing.japanese import Japanese
from adk_stream_protocol.testing.phrases import understand


def pay(amount: float, recipient: str, currency: str = "USD") -> Call:
    return Call("process_payment", {"amount": amount, "recipient": recipient, "currency": currency})


@pytest.mark.parametrize(
    ("message", "turns"),
    [
        ("Send $50 to Hanako", [[pay(50, "Hanako")]]),
        ("Please send 50 dollars to Hanako.", [[pay(50, "Hanako")]]),
        ("Pay 12.50 EUR to Bob", [[pay(12.5, "Bob", "EUR")]]),
        ("Can you pay Bob 5 dollars?", [[pay(5, "Bob")]]),
        ("pay bob 5", [[pay(5, "bob")]]),
        ("Send $1,500.50 to Bob Smith for lunch", [[pay(1500.5, "Bob Smith")]]),
        ("Send -$5 to Bob", [[pay(-5, "Bob")]]),
        ("Transfer £5 to Bob", [[pay(5, "Bob", "GBP")]]),
        ("花子さんに50ドル送金してください", [[pay(50, "花子")]]),
        ("すみません、花子さんに50ドル送金してください", [[pay(50, "花子")]]),
        ("50ドルを花子さんに送金して", [[pay(50, "花子")]]),
        ("太郎に５００円払って", [[pay(500, "太郎", "JPY")]]),
        ("Bobへ12.5ユーロ振り込んで", [[pay(12.5, "Bob", "EUR")]]),
    ],
)
def test_one_payment(message: str, turns: list[list[Call]]) -> None:
    assert understand(message) == turns


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


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("What is the weather in London?", "London"),
        ("What's the weather like in New York today?", "New York"),
        ("Tell me the weather for Paris please", "Paris"),
        ("London weather", "London"),
        ("東京の天気を教えて", "東京"),
        ("今日の東京の天気は？", "東京"),
        ("大阪の明日の天気は？", "大阪"),
    ],
)
def test_weather(message: str, place: str) -> None:
    assert understand(message) == [[Call("get_weather", {"location": place})]]


@pytest.mark.parametrize(
    ("message", "name", "args"),
    [
        ("Where am I?", "get_location", {}),
        ("What is my current location?", "get_location", {}),
        ("現在地を教えて", "get_location", {}),
        ("ここはどこ？", "get_location", {}),
        ("Change the BGM to track 2", "change_bgm", {"track": 2}),
        ("Play track number 3", "change_bgm", {"track": 3}),
        ("BGMをトラック2に変更して", "change_bgm", {"track": 2}),
        ("音楽を３番にして", "change_bgm", {"track": 3}),
    ],
)
def test_browser_tools(message: str, name: str, args: dict[str, Any]) -> None:
    assert understand(message) == [[Call(name, args)]]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Hello", English.greeting),
        ("Good morning!", English.greeting),
        ("こんにちは", Japanese.greeting),
        ("おはようございます", Japanese.greeting),
        ("Thanks!", English.thanks),
        ("Thank you so much", English.thanks),
        ("ありがとう", Japanese.thanks),
        ("How is the weather?", English.which_place),
        ("天気を教えて", Japanese.which_place),
        ("Change the music", English.which_track),
        ("BGMを変えて", Japanese.which_track),
        ("Tell me a joke", English.abilities),
        ("Send money to Bob", English.abilities),
        ("冗談を言って", Japanese.abilities),
        ("", English.abilities),
    ],
)
def test_words(message: str, answer: str) -> None:
    ((said,),) = understand(message)
    assert isinstance(said, Say) and "".join(said.deltas) == answer
    assert len(said.deltas) > 1


def test_a_very_long_message_is_no_burden() -> None:
    ((said,),) = understand("send " + "に" * 1_000_000)
    assert isinstance(said, Say)
