"""Weather that never changes, so that demos and tests can rely on it."""

import hashlib
import unicodedata
from typing import Any

_CONDITIONS = ("sunny", "cloudy", "rainy", "windy", "snowy", "foggy")
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
