"""Hidden characters are written out, ordinary text of any language is not."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adk_stream_protocol.approvals.visible_text import cut_middle, visible
from tests.support.any_text import ANY_TEXT, FLAGS, VS16, ZWJ, ZWNJ, hidden_in


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Pay 50 EUR to alice@example.com",
        "one\ntwo\n\n\n\nsix\n\tindented",
        "東京の田中様へ　五万円を送金する。ｶﾞ が",
        "مرحبا بالعالم، السعر ٥٠",
        f"می{ZWNJ}خواهم نامه{ZWNJ}ای بنویسم",
        "שָׁלוֹם עוֹלָם",
        f"क्षत्रिय क्{ZWJ}ष क्{ZWNJ}ष विद्यार्थी",
        f"র{ZWJ}্যাব ශ්{ZWJ}රී ലങ്ക",
        "Zoë naïve cafe\u0301 Việt Nam e\u0302\u0301\u0323\u0331",
        "한국어 ภาษาไทย ελληνικά русский",
        f"👩{ZWJ}👩{ZWJ}👧{ZWJ}👦 ❤{VS16}{ZWJ}🔥 👩🏽{ZWJ}🤝{ZWJ}👨🏿 🏳{VS16}{ZWJ}🌈",
        f"☎{VS16} ☀{VS16}👍🏽 1{VS16}\u20e3 x12#{VS16}\u20e3 a1{VS16}\u20e3 🇯🇵🇩🇪 ©{VS16}",
        " ".join(FLAGS),
        "newer than Python's tables: \U0001fa77\U0001fae8\U0001f6dc",
        "… — “quotes” 〈角〉 €",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("\u200f\u061c", "⟨U+200F⟩⟨U+061C⟩"),
        ("pay\u200bpal\ufeff", "pay⟨U+200B⟩pal⟨U+FEFF⟩"),
        ("a\r\nb\0\x1b[31m\x7f\x85", "a⟨U+000D⟩\nb⟨U+0000⟩⟨U+001B⟩[31m⟨U+007F⟩⟨U+0085⟩"),
        ("so\u00adft", "so⟨U+00AD⟩ft"),
        ("1\u00a0000\u2007\u202f\u2003", "1⟨U+00A0⟩000⟨U+2007⟩⟨U+202F⟩⟨U+2003⟩"),
        ("\u2028\u2029\u2800", "⟨U+2028⟩⟨U+2029⟩⟨U+2800⟩"),
        ("\ue000\u0378\U0010ffff", "⟨U+E000⟩⟨U+0378⟩⟨U+10FFFF⟩"),
        ("\ud83d\ude00", "⟨U+D83D⟩⟨U+DE00⟩"),
        ("\u3164\u115f\u1160\uffa0", "⟨U+3164⟩⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩"),
        ("hi\U000e0048\U000e0049", "hi⟨U+E0048⟩⟨U+E0049⟩"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴⟨U+E0067⟩⟨U+E0062⟩⟨U+E007F⟩"),
        (f"a{VS16}", "a⟨U+FE0F⟩"),
        (f"21{VS16}", "21⟨U+FE0F⟩"),
        (f"☎{VS16}{VS16}", f"☎{VS16}⟨U+FE0F⟩"),
        ("☎\ufe0e", "☎⟨U+FE0E⟩"),
        ("葛\U000e0100", "葛⟨U+E0100⟩"),
        (f"a{ZWJ}b", "a⟨U+200D⟩b"),
        (f"👩{ZWJ}", "👩⟨U+200D⟩"),
        (f"👩{ZWJ}a", "👩⟨U+200D⟩a"),
        (f"{ZWJ}👩", "⟨U+200D⟩👩"),
        (f"א{ZWNJ}ב", "א⟨U+200C⟩ב"),
        (f"ب{ZWNJ}", "ب⟨U+200C⟩"),
        (f"ب{ZWNJ}{ZWNJ}ب", "ب⟨U+200C⟩⟨U+200C⟩ب"),
        (f"ب{ZWNJ}क", "ب⟨U+200C⟩क"),
        (f"क{ZWJ}ক", "क⟨U+200D⟩ক"),
        (f"١{ZWNJ}٢", "١⟨U+200C⟩٢"),
        ("a" + "\u0301" * 6 + "b\u0301", "a" + "\u0301" * 4 + "⟨U+0301⟩⟨U+0301⟩b\u0301"),
        ("ب" + "\u064e" * 4 + f"{ZWJ}\u064e", "ب" + "\u064e" * 4 + "⟨U+200D⟩⟨U+064E⟩"),
        ("ب" + "\u064e" * 5 + f"{ZWJ}ب", "ب" + "\u064e" * 4 + "⟨U+064E⟩⟨U+200D⟩ب"),
        ("\u0301a\n\u0301", "⟨U+0301⟩a\n⟨U+0301⟩"),
        ("\u200b\u0301", "⟨U+200B⟩⟨U+0301⟩"),
        ('"\u0338"', '"⟨U+0338⟩"'),
        ("⟨U+202E⟩", "⟨U+27E8⟩U+202E⟨U+27E9⟩"),
        ("a" + "\n" * 5 + "b", "a\n⟨4 blank lines⟩\nb"),
        ("\n\n\n\nb", "⟨4 blank lines⟩\nb"),
        ("a\n \n\t\n\u3000\n\n", "a\n⟨4 blank lines⟩\n"),
        ("a" + "\n" * 2001 + "b\n\n\nc", "a\n⟨2,000 blank lines⟩\nb\n\n\nc"),
    ],
)
def test_what_hides_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@settings(deadline=None, max_examples=500)
@given(ANY_TEXT)
@example("".join(map(chr, (*range(0x3000), *range(0xD800, 0x11000)))))
@example("".join(map(chr, (*range(0x1F000, 0x20000), *range(0xE0000, 0xE0200)))))
def test_nothing_hidden_is_left_whole_or_cut(text: str) -> None:
    shown = visible(text)
    assert hidden_in(shown) == []
    assert len(shown) <= 10 * len(text)
    shown.encode()
    for limit in (40, 41, 60):
        cut = cut_middle(shown, limit)
        assert hidden_in(cut) == [] and len(cut) <= limit
        marks = r"⟨(?:U\+[0-9A-F]{4,6}|[0-9,]+ (?:blank lines|characters))⟩"
        assert not set("⟨⟩") & set(re.sub(marks, "", cut))


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_ascii_is_never_changed(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(("text", "limit"), [("short", 5), ("", 0), ("\u0301" * 9, 9)])
def test_what_fits_is_not_cut(text: str, limit: int) -> None:
    assert cut_middle(text, limit) == text


MIDDLE = len(" … ⟨100 characters⟩ … ")


@pytest.mark.parametrize(
    ("head", "tail", "kept_head", "kept_tail"),
    [
        ("abcdef", "uvwxyz", "abcd", "wxyz"),
        ("abcde\u0301", "uve\u0301xyz", "abcd", "xyz"),
        ("abce\u0301\u0301f", "uvwxyz", "abc", "wxyz"),
        (f"abc👩{ZWJ}👩", f"👩{ZWJ}👩xyz", "abc", "xyz"),
        (f"ab👩{ZWJ}👩", "uvwxyz", "ab", "wxyz"),
        ("abc👍🏽", "uv👍🏽xyz", "abc", "xyz"),
        ("abc🇯🇵🇩🇪", "🇯🇵🇩🇪yz", "abc", "🇩🇪yz"),
        ("ab🇯🇵🇩🇪", "🇯🇵🇩🇪z", "ab🇯🇵", "🇩🇪z"),
        ("a⟨U+202E⟩", "⟨U+202E⟩z", "a", "z"),
        ("abc" + FLAGS[0], FLAGS[0] + "z", "abc", "z"),
        ("abc\ud83d\ude00", "u\ud83d\ude00xyz", "abc", "xyz"),
        ("⟨abcd", "wxy⟩", "⟨abc", "wxy⟩"),
    ],
)
def test_a_cut_tears_nothing_apart(head: str, tail: str, kept_head: str, kept_tail: str) -> None:
    text = head + "-" * (100 - len(head) - len(tail)) + tail
    cut = cut_middle(text, MIDDLE + 8)
    assert cut == f"{kept_head} … ⟨100 characters⟩ … {kept_tail}"


def test_a_limit_too_small_for_anything_still_states_the_length() -> None:
    assert cut_middle("a" * 4123, 3) == " … ⟨4,123 characters⟩ … "
    assert cut_middle("a" + "\u0301" * 999) == " … ⟨1,000 characters⟩ … "


@pytest.mark.parametrize("unit", ["\u202e", "\n", " ", "🇯", "\u0301", f"👩{ZWJ}", "⟨", " \n", "あ"])
def test_a_very_long_text_takes_no_more_than_its_length(unit: str) -> None:
    """With work that grows with its square, this test would not end."""
    assert len(cut_middle(visible(unit * 300_000))) <= 500
    assert len(cut_middle(unit * 300_000)) <= 500
