"""Text of any kind, most of it nasty, and what of a text cannot be seen."""

from unicodedata import category, name

from hypothesis import strategies as st

ZWNJ, ZWJ, VS16 = "\u200c", "\u200d", "\ufe0f"
FLAGS = [
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
]
NASTY = (
    'ab1"⟨⟩ \n\t\r\0\x85\u00ad\u00a0\u3000\u200b\u200c\u200c\u200d\u200d\u200e\u202e\u2066\u2028'
    "\u0301\u0301\u034f\u064e\u094d\u0915\u0937\u0995\u0627\u0628\u05d0\ufe0e\ufe0f\ufe0f\u20e3"
    "\u3164\ufeff\ud83d\ude00\ue000\u0378\U0001f469\U0001f469\U0001f3fd\u2764\U0001f1ef\U0001f1f5"
    "\U0001f3f4\U000e0067\U000e007f\U000e0100\U0001fa77\U0010ffff"
)
ANY_TEXT = st.lists(
    st.sampled_from(NASTY)
    | st.characters(exclude_categories=[])
    | st.sampled_from([*FLAGS, "\n\n\n", "क्", "می", "\u0301" * 4, f"\U0001f469{ZWJ}\U0001f469"]),
    max_size=60,
).map("".join)


def spells_with_joiners(before: str, after: str) -> bool:
    scripts = {name(before, "?").split()[0], name(after, "?").split()[0]}
    return len(scripts) == 1 and scripts <= {
        *("ARABIC", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL"),
        *("TELUGU", "KANNADA", "MALAYALAM", "SINHALA"),
    }


def is_allowed(text: str, at: int) -> bool:
    before, char, after = text[at - 1 : at], text[at], text[at + 1 : at + 2]
    if char in ZWNJ + ZWJ and before and after and spells_with_joiners(before, after):
        return True
    if char == ZWJ:
        pictograph = category(after or " ") in ("So", "Sm", "Po", "Cn")
        return pictograph and (before == VS16 or category(before or " ") in ("So", "Sk", "Cn"))
    if char == VS16:
        return after == "\u20e3" or category(before) in ("So", "Sm", "Po", "Pd", "Ll", "Cn")
    return char in "\n\t\u3000 " or char == "\U0001f6dc" or "\U0001fa70" <= char <= "\U0001faff"


def is_invisible(char: str) -> bool:
    if category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"):
        return True
    return char in "\u115f\u1160\u3164\uffa0\u034f\u2800" or "VARIATION SELECTOR" in name(char, "")


def hidden_in(text: str) -> list[str]:
    for flag in FLAGS:
        text = text.replace(flag, "x")
    return [c for at, c in enumerate(text) if is_invisible(c) and not is_allowed(text, at)]
