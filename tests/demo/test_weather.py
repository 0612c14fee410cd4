"""The weather of the demo."""

import pytest

from adk_stream_protocol.demo.weather import get_weather


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
