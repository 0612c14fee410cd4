"""get_weather: weather that never changes, so that demos and tests can rely on it."""

import hashlib
import re
import unicodedata
from typing import Any

from adk_stream_protocol.demo.phrases.language import English, Japanese, Phrases, either
from adk_stream_protocol.demo.tools.demo_tool import DemoTool
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.actions import Call, Turn, say
from adk_stream_protocol.testing.script.fate import short

_SKY_JA = {
    "sunny": "晴れ",
    "cloudy": "曇り",
    "rainy": "雨",
    "windy": "強風",
    "snowy": "雪",
    "foggy": "霧",
}
_CONDITIONS = tuple(_SKY_JA)
_KNOWN = {
    "tokyo": (22, "sunny", 55),
    "london": (14, "rainy", 80),
    "paris": (17, "cloudy", 65),
    "new york": (19, "windy", 50),
    "sapporo": (-2, "snowy", 70),
    "osaka": (24, "cloudy", 60),
}
_ENGLISH = {
    "東京": "tokyo",
    "ロンドン": "london",
    "パリ": "paris",
    "ニューヨーク": "new york",
    "札幌": "sapporo",
    "大阪": "osaka",
}
_ASKED = re.compile(r"\bweather\b|\bforecast\b|\btemperature\b|天気|気温|予報", re.IGNORECASE)
_PLACE_EN = re.compile(r"\b(?:in|at|for|of)\s+(?!the\b)([^?!.,;]+)", re.IGNORECASE)
_PLACE_FIRST = re.compile(r"^\s*(?!The|Today|Tomorrow)((?:[A-Z]\w*\s+)+)(?:weather|forecast)\b")
_PLACE_JA = re.compile(
    r"([^\s、。,のは]+)(?:の|は)(?:(?:今日|明日|今|現在)の)?(?:お?天気|気温|予報)"
)
_WHEN = re.compile(
    r"\s+(?:today|tomorrow|now|right now|currently|at the moment|like|please)\b.*$", re.IGNORECASE
)
_WHEN_JA = re.compile(r"(?:今日|明日|今|現在)の")


def get_weather(location: str) -> dict[str, Any]:
    """Get the current weather of a place.

    Args:
      location: The name of a city, in any language.
    """
    # ADK passes on what the model sent, whatever its type.
    place = unicodedata.normalize("NFKC", str(location)).strip()
    if not place:
        return {"error": "Name a place."}
    temperature, condition, humidity = _observed(place)
    return {
        "location": place,
        "temperature": temperature,
        "unit": "C",
        "condition": condition,
        "humidity": humidity,
    }


def _observed(place: str) -> tuple[int, str, int]:
    name = _ENGLISH.get(place, place).casefold()
    if name in _KNOWN:
        return _KNOWN[name]
    digest = hashlib.sha256(name.encode()).digest()
    return digest[0] % 35, _CONDITIONS[digest[1] % len(_CONDITIONS)], 30 + digest[2] % 60


def _understand(text: str) -> list[Turn]:
    if not _ASKED.search(text):
        return []
    if place := _place(text):
        return [[Call("get_weather", {"location": place})]]
    which = "For which place would you like to know the weather?"
    return [[say(either(text, which, "どの場所の天気を知りたいですか？"))]]


def _place(text: str) -> str:
    found = _PLACE_JA.search(_WHEN_JA.sub("", text))
    found = found or _PLACE_EN.search(text) or _PLACE_FIRST.search(text)
    return _WHEN.sub("", found[1]).strip() if found else ""


def _success(outcome: Outcome) -> str | None:
    match outcome.response:
        case {"location": place, "temperature": degrees, "condition": sky}:
            return f"it is {short(degrees)} °C and {short(sky)} in {short(place)}"
        case _:
            return None


def _success_ja(outcome: Outcome) -> tuple[str, str] | None:
    match outcome.response:
        case {"location": place, "temperature": degrees, "condition": sky}:
            condition = _SKY_JA.get(short(sky), short(sky))
            seen = f"{short(place)}の天気は{condition}、気温は{short(degrees)}℃"
            return seen + "で", seen + "です"
        case _:
            return None


WEATHER = DemoTool(
    "get_weather",
    make=lambda wallet: get_weather,
    purpose="for the weather",
    phrases=Phrases(
        _understand,
        English(
            ability="tell you the weather",
            subject=lambda call: f"the weather request for {short(call.args.get('location'))}",
            success=_success,
        ),
        Japanese(
            ability="天気の案内",
            subject=lambda call: f"{short(call.args.get('location'))}の天気の確認",
            success=_success_ja,
        ),
        is_vague=True,  # "What is the weather at my location?" asks for the location first
    ),
)
