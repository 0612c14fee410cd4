"""Which of the two languages a message is answered in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol.demo.phrases.language import either


@pytest.mark.parametrize("message", ["送って", "ありがとう", "カタカナ", "ﾊﾝｶｸ", "Send 50 to 花子"])
def test_kana_or_kanji_are_japanese(message: str) -> None:
    assert either(message, "English", "Japanese") == "Japanese"


@pytest.mark.parametrize("message", ["", "Send $5", "Grüße", "Привет", "안녕하세요", "😀", "５０"])
def test_all_else_is_answered_in_english(message: str) -> None:
    assert either(message, "English", "Japanese") == "English"


@given(st.text(), st.sampled_from("あア漢ｱ"), st.text())
def test_one_letter_is_enough(before: str, letter: str, after: str) -> None:
    assert either(before + letter + after, "English", "Japanese") == "Japanese"
