"""Letters that pass for others are marked, ordinary text of any language is not."""

import pytest
from hypothesis import given, settings

from adk_stream_protocol.approvals.look_alikes import has_look_alikes, mark_look_alikes
from adk_stream_protocol.approvals.visible_text import visible
from tests.support.any_text import ANY_TEXT, hidden_in

ORDINARY = [
    "",
    "Pay 50 EUR to alice@example.com",
    "東京の田中様へ　五万円を送金する。Tシャツ ＡＢＣ α版 (´Д`)",
    "请向 Alice 支付五万元，谢谢",
    "Оплатить счёт за обед, Сара и Макс",
    "Купить iPhone в магазине, IT-отдел, PRщик и VIPы",
    "Σωκράτης και Πλάτων",
    "5 kΩ, 3 μm, Δt, TNFα, NF-κB",
    "한국어 ภาษาไทย ქართული հայերեն ᏣᎳᎩ",
    "Zoë naïve cafe\u0301 Việt Nam straße ﬁn",
    '{"город": "Москва", "city": "Moscow"}',
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_not_marked(text: str) -> None:
    assert mark_look_alikes(visible(text)) == text
    assert not has_look_alikes(text)


MIXED = [
    ("pаypal", "p⟨U+0430⟩ypal"),
    ("Send it to Аlice", "Send it to ⟨U+0410⟩lice"),
    ("gοοgle.com", "g⟨U+03BF⟩⟨U+03BF⟩gle.com"),
    ("раураӏ.com", "⟨U+0440⟩⟨U+0430⟩⟨U+0443⟩⟨U+0440⟩⟨U+0430⟩⟨U+04CF⟩.com"),
    ("сара@mail.com", "⟨U+0441⟩⟨U+0430⟩⟨U+0440⟩⟨U+0430⟩@mail.com"),
    ("cбербанк", "⟨U+0063⟩бербанк"),
    ("p𝖺ypal", "p⟨U+1D5BA⟩ypal"),
    ("pɑypal", "p⟨U+0251⟩ypal"),
    ("Ꭺlice", "⟨U+13AA⟩lice"),
    ("ｐаｙ", "ｐ⟨U+0430⟩ｙ"),
    ('{"pаy": 1}', '{"p⟨U+0430⟩y": 1}'),
    ("p\u202eаypal", "p⟨U+202E⟩⟨U+0430⟩ypal"),
]


@pytest.mark.parametrize(("text", "shown"), MIXED)
def test_a_look_alike_in_a_mixed_word_is_written_out(text: str, shown: str) -> None:
    assert mark_look_alikes(visible(text)) == shown
    assert has_look_alikes(visible(text))


@pytest.mark.parametrize("text", ["аррӏе", "Сара", "pay Сара", "ΑΒΕ"])
def test_a_word_of_look_alikes_alone_stays_and_is_told(text: str) -> None:
    assert mark_look_alikes(text) == text
    assert has_look_alikes(text)


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_nothing_is_lost_and_a_second_look_finds_nothing(text: str) -> None:
    seen = visible(text)
    marked = mark_look_alikes(seen)
    assert mark_look_alikes(marked) == marked
    assert hidden_in(marked) == []
