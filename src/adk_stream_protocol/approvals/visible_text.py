"""Text that hides nothing: what an eye cannot see, or would see elsewhere, is written out.

A character written out reads ⟨U+202E⟩. The two brackets are themselves written out wherever the
text has them, so no text can forge a mark of ours.
"""

import re
from itertools import chain
from unicodedata import category

MAX_MARKS = 4
"""Combining marks in a row; the next ones would paint over their neighbours."""
MAX_BLANK_LINES = 3

# The rest of Unicode's default ignorables is of category Cf or unassigned, which is not printable.
_UNSEEN = frozenset(
    map(
        chr,
        chain(
            (0x27E8, 0x27E9),  # our own brackets
            (0x115F, 0x1160, 0x3164, 0xFFA0),  # Hangul fillers
            (0x034F, 0x17B4, 0x17B5, 0x2800, 0x16FE4, 0x1D159),  # other blanks
            (0x180B, 0x180C, 0x180D, 0x180F),  # Mongolian variation selectors
            range(0xFE00, 0xFE10),  # variation selectors
            range(0xE0100, 0xE01F0),
        ),
    )
)
_SPACES = "\n\t\u3000"
_JOINERS = "\u200c\u200d"
# A mark after one of these has no base to sit on. In JSON text a quote begins a string.
_NO_BASE = '\n\t"'
_BASELESS = MAX_MARKS + 1

# Unicode's Extended_Pictographic, less the blocks that are reserved or hold other symbols. Emoji
# newer than Python's own tables (U+1FA70 on) are in it, so that they stay as they are.
_PICTOGRAPH = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf"
    "\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605"
    "\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714\u2716\u271d\u2721\u2728\u2733"
    "\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27a1\u27b0"
    "\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004"
    "\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250\U0001f251"
    "\U0001f300-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6d7"
    "\U0001f6dc-\U0001f6ec\U0001f6f0-\U0001f6fc\U0001f7e0-\U0001f7eb\U0001f7f0"
    "\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001f9ff\U0001fa70-\U0001faff]"
)
_SKIN = "\U0001f3fb-\U0001f3ff"
_TAGS = "\U000e0020-\U000e007f"
_FLAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_EMOJI = f"{_PICTOGRAPH}[\ufe0f{_SKIN}]?"
_SEQUENCE = f"[0-9#*]\ufe0f\u20e3|\U0001f3f4(?:{_FLAGS})|{_EMOJI}(?:\u200d{_EMOJI})*"
# Only for speed: characters that are always shown and that a mark can sit on.
_LETTERS = "[A-Za-z0-9 .,:/_\u3001\u3002\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff-]+(?!\ufe0f)"
_PIECE = re.compile(f"({_SEQUENCE}|{_LETTERS})|.", re.DOTALL)
_BLANK_LINES = re.compile(rf"(?:^[ \t\u3000]*\n){{{MAX_BLANK_LINES + 1},}}", re.MULTILINE)
MARK = re.compile(r"⟨(?:U\+[0-9A-F]{4,6}|[0-9,]+ blank lines)⟩")
_MARK_LENGTH = 40
_TRAILING = re.compile(f"[{_JOINERS}{_SKIN}{_TAGS}]")
_FLAG_HALF = re.compile("[\U0001f1e6-\U0001f1ff]")


def visible(text: str) -> str:
    """The text with every hidden or reordering character written out."""
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = _BASELESS
    for found in _PIECE.finditer(text):
        piece = found[0]
        if found[1]:
            marks = 0
        elif _is_plain(text, found.start(), marks):
            marks = _marks_after(piece, marks)
        else:
            piece, marks = written_out(piece), _BASELESS
        shown.append(piece)
    return _BLANK_LINES.sub(_count_lines, "".join(shown))


def written_out(char: str) -> str:
    """One character by its number."""
    return f"⟨U+{ord(char):04X}⟩"


def _is_plain(text: str, at: int, marks: int) -> bool:
    char = text[at]
    if char in _JOINERS:
        return _joins(text, at, marks)
    if char in _UNSEEN or (_is_mark(char) and marks >= MAX_MARKS):
        return False
    return char.isprintable() or char in _SPACES


def _joins(text: str, at: int, marks: int) -> bool:
    """Is this joiner between two letters, both shown, of one script that spells with joiners?"""
    if marks == _BASELESS or at + 1 == len(text):
        return False
    before, after = text[at - 1], text[at + 1]
    if _is_mark(after) and marks == MAX_MARKS:
        return False
    return _joining_script(before) == _joining_script(after) != 0


def _joining_script(char: str) -> int:
    """The first code point of a letter's or mark's script, if Arabic or Indic; otherwise 0."""
    code = ord(char)
    if category(char)[0] not in "LM":
        return 0
    if 0x0600 <= code < 0x0700 or 0x0750 <= code < 0x0780 or 0x0870 <= code < 0x0900:
        return 0x0600
    return code & ~0x7F if 0x0900 <= code < 0x0E00 else 0


def _marks_after(char: str, marks: int) -> int:
    if _is_mark(char):
        return marks + 1
    if char in _JOINERS:
        return marks
    return _BASELESS if char in _NO_BASE else 0


def _is_mark(char: str) -> bool:
    return category(char)[0] == "M"


def _count_lines(run: re.Match[str]) -> str:
    count = run[0].count("\n")
    return f"⟨{count:,} blank lines⟩\n"


def cut_middle(text: str, limit: int = 500) -> str:
    """At most `limit` characters: head and tail of a longer text, with its full length between.

    The length is stated even where that alone takes more than `limit`.
    """
    if len(text) <= limit:
        return text
    middle = f" … ⟨{len(text):,} characters⟩ … "
    room = max(limit - len(middle), 0)
    head, tail = room - room // 2, len(text) - room // 2
    while _belong_together(text, head):
        head -= 1
    while _belong_together(text, tail):
        tail += 1
    return text[:head] + middle + text[tail:]


def _belong_together(text: str, at: int) -> bool:
    """Would a cut before this position tear apart what is seen as one?"""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _is_mark(after) or _TRAILING.match(after) or before in _JOINERS:
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    return _is_in_flag(text, at) or _is_in_mark(text, at)


def _is_in_flag(text: str, at: int) -> bool:
    """A flag is two letters of their own kind: is the cut after the first of two?"""
    if not (_FLAG_HALF.match(text, at) and _FLAG_HALF.match(text, at - 1)):
        return False
    start = at - 1
    while start > 0 and _FLAG_HALF.match(text, start - 1):
        start -= 1
    return (at - start) % 2 == 1


def _is_in_mark(text: str, at: int) -> bool:
    start = text.rfind("⟨", max(at - _MARK_LENGTH, 0), at)
    mark = MARK.match(text, start) if start >= 0 else None
    return mark is not None and mark.end() > at
