"""change_bgm: what it is asked for with, and what is said of it."""

import pytest

from adk_stream_protocol.demo.tools.music import MUSIC
from adk_stream_protocol.testing import Call
from tests.support.demo_phrases import report, words


@pytest.mark.parametrize(
    ("message", "track"),
    [
        ("Change the BGM to track 2", 2),
        ("Play track number 3", 3),
        ("BGMをトラック2に変更して", 2),
        ("音楽を３番にして", 3),
    ],
)
def test_a_track_is_found(message: str, track: int) -> None:
    assert MUSIC.phrases.understand(message) == [[Call("change_bgm", {"track": track})]]


def test_without_a_track_it_asks_back() -> None:
    assert words("Change the music") == "Which track would you like to hear?"
    assert words("BGMを変えて") == "どのトラックを流しますか？"


def test_other_words_are_not_about_music() -> None:
    assert MUSIC.phrases.understand("Hello") == []


def test_what_is_said_of_it() -> None:
    assert report("change_bgm", {}, {"success": True, "track": 2}) == (
        "The music is now track 2.",
        "BGMをトラック2に変更しました。",
    )
    assert report("change_bgm", {"track": 2}, {"error": "cancelled"}) == (
        "The change to track 2 was cancelled.",
        "トラック2への変更は取り消されました。",
    )
    english, japanese = report("change_bgm", {}, {"note": "?"})
    assert english.startswith("The call of change_bgm")
    assert japanese.startswith("change_bgmの結果は")
