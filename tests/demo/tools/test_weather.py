"""get_weather: the weather itself, what it is asked for with, and what is said of it."""

import pytest

from adk_stream_protocol.demo.tools.weather import WEATHER, get_weather
from adk_stream_protocol.testing import Call
from tests.support.demo_phrases import report, words


@pytest.mark.parametrize("names", [("Tokyo", "東京", "tokyo"), ("London", "ロンドン", " LONDON ")])
def test_a_city_has_one_weather_in_every_language(names: tuple[str, ...]) -> None:
    observed = [get_weather(name) for name in names]
    assert [weather.pop("location") for weather in observed] == [name.strip() for name in names]
    assert observed[0] == observed[1] == observed[2]


def test_a_place_nobody_knows_has_a_weather_that_stays() -> None:
    weather = get_weather("Springfield")
    assert weather == get_weather("Springfield") != get_weather("Shelbyville")
    assert set(weather) == {"location", "temperature", "unit", "condition", "humidity"}


def test_no_place_is_an_error() -> None:
    assert get_weather(" ") == {"error": "Name a place."}


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
def test_a_place_is_found(message: str, place: str) -> None:
    understood = WEATHER.phrases.understand(message)
    assert understood == [[Call("get_weather", {"location": place})]]


def test_without_a_place_it_asks_back() -> None:
    assert words("How is the weather?") == "For which place would you like to know the weather?"
    assert words("天気を教えて") == "どの場所の天気を知りたいですか？"


def test_other_words_are_not_about_the_weather() -> None:
    assert WEATHER.phrases.understand("Hello") == []


def test_what_is_said_of_it() -> None:
    observed = get_weather("東京")
    assert report("get_weather", {}, observed) == (
        "It is 22 °C and sunny in 東京.",
        "東京の天気は晴れ、気温は22℃です。",
    )
    assert report("get_weather", {"location": "X"}, {"error": "cancelled"}) == (
        "The weather request for X was cancelled.",
        "Xの天気の確認は取り消されました。",
    )
    english, japanese = report("get_weather", {}, {"note": "?"})
    assert english.startswith("The call of get_weather")
    assert japanese.startswith("get_weatherの結果は")
