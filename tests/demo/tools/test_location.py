"""get_location: what it is asked for with, and what is said of it."""

import pytest

from adk_stream_protocol.demo.tools.location import LOCATION
from adk_stream_protocol.testing import Call
from tests.support.demo_phrases import report

HERE = {"latitude": 35.5, "longitude": 139.5, "accuracy": 10, "timestamp": 1}


@pytest.mark.parametrize(
    "message", ["Where am I?", "What is my current location?", "現在地を教えて", "ここはどこ？"]
)
def test_where_the_user_is(message: str) -> None:
    assert LOCATION.phrases.understand(message) == [[Call("get_location")]]


def test_other_words_are_not_about_the_location() -> None:
    assert LOCATION.phrases.understand("Hello") == []


def test_what_is_said_of_it() -> None:
    assert report("get_location", {}, HERE) == (
        "You are at latitude 35.5, longitude 139.5.",
        "現在地は緯度35.5、経度139.5です。",
    )
    assert report("get_location", {}, {"error": "cancelled"}) == (
        "The request for your location was cancelled.",
        "現在地の確認は取り消されました。",
    )
    english, japanese = report("get_location", {}, {"note": "?"})
    assert english.startswith("The call of get_location")
    assert japanese.startswith("get_locationの結果は")
