"""Plain requests, in Japanese and English, and the model turns that answer them."""

import re
import unicodedata

from adk_stream_protocol.testing.actions import Call, Turn, say
from adk_stream_protocol.testing.language import wording_for
from adk_stream_protocol.testing.payments import find_payments

_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening))\b"
    r"|こんにち[はわ]|こんばん[はわ]|おはよう|はじめまして|やあ",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\bthank(?:s|\b)|\bthx\b|\bcheers\b|ありがと|感謝|どうも", re.IGNORECASE)
_LOCATION = re.compile(
    r"\bwhere (?:am i|i am)\b|\b(?:my|current) (?:\w+ )?(?:location|position)\b"
    r"|現在地|現在位置|位置情報|居場所|今どこ|ここはどこ|私はどこ",
    re.IGNORECASE,
)
_MUSIC = re.compile(r"\b(?:bgm|music|track|song)\b|BGM|音楽|トラック|曲", re.IGNORECASE)
_WEATHER = re.compile(r"\bweather\b|\bforecast\b|\btemperature\b|天気|気温|予報", re.IGNORECASE)
_PLACE_EN = re.compile(r"\b(?:in|at|for|of)\s+(?!the\b)([^?!.,;]+)", re.IGNORECASE)
_PLACE_FIRST = re.compile(r"^\s*(?!The|Today|Tomorrow)((?:[A-Z]\w*\s+)+)(?:weather|forecast)\b")
_PLACE_JA = re.compile(
    r"([^\s、。,のは]+)(?:の|は)(?:(?:今日|明日|今|現在)の)?(?:お?天気|気温|予報)"
)
_WHEN = re.compile(
    r"\s+(?:today|tomorrow|now|right now|currently|at the moment|like|please)\b.*$", re.IGNORECASE
)
_WHEN_JA = re.compile(r"(?:今日|明日|今|現在)の")
# Enough for any request, and short enough for patterns that look back and forth.
_READ = 1000


def understand(message: str) -> list[Turn]:
    """The model turns that answer a plain message."""
    text = unicodedata.normalize("NFKC", message[:_READ])
    for answer in (_payment, _location, _music, _weather, _courtesy):
        if turns := answer(text):
            return turns
    return [[say(wording_for(text).abilities)]]


def _payment(text: str) -> list[Turn]:
    return [list(turn) for turn in find_payments(text)]


def _location(text: str) -> list[Turn]:
    return [[Call("get_location")]] if _LOCATION.search(text) else []


def _music(text: str) -> list[Turn]:
    if not _MUSIC.search(text):
        return []
    if track := re.search(r"\d+", text):
        return [[Call("change_bgm", {"track": int(track[0])})]]
    return [[say(wording_for(text).which_track)]]


def _weather(text: str) -> list[Turn]:
    if not _WEATHER.search(text):
        return []
    if place := _place(text):
        return [[Call("get_weather", {"location": place})]]
    return [[say(wording_for(text).which_place)]]


def _place(text: str) -> str:
    found = _PLACE_JA.search(_WHEN_JA.sub("", text))
    found = found or _PLACE_EN.search(text) or _PLACE_FIRST.search(text)
    return _WHEN.sub("", found[1]).strip() if found else ""


def _courtesy(text: str) -> list[Turn]:
    wording = wording_for(text)
    if _THANKS.search(text):
        return [[say(wording.thanks)]]
    return [[say(wording.greeting)]] if _GREETING.search(text) else []
