"""Letters that pass for those of another script: the а of "pаypal" that is Cyrillic.

The text is what `visible` has made of it. A word that mixes scripts has its look-alikes written
out, in the style of hidden characters. A word that is all look-alikes may be an ordinary name
(Сара), so it stays as it is; `has_look_alikes` tells of it as well.
"""

import re
from collections import Counter
from functools import lru_cache
from unicodedata import name

from adk_stream_protocol.approvals.visible_text import MARK, written_out

# Letters that look like a Latin letter in most fonts, and those Latin letters.
_PAIRS = {
    "CYRILLIC": ("аcсcԁdеeһhіiјjкkӏlоoрpԛqѕsуyүyхxѵvԝwАAВBСCЕEНHІIЈJКKМMӀIОOРPԚQЅSТTУYҮYХXѴVԜWԌG"),
    "GREEK": "οoρpνvυuιiϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹCͿJ",
}
_LIKE_LATIN = {script: frozenset(pairs[::2]) for script, pairs in _PAIRS.items()}
_LIKE_OTHER = {script: frozenset(pairs[1::2]) for script, pairs in _PAIRS.items()}
# No language mixes these into a word with Latin letters; many of them look like Latin ones.
_NEVER_WITH_LATIN = frozenset(
    "ARMENIAN CHEROKEE COPTIC DESERET DOUBLE-STRUCK GEORGIAN LISU LYCIAN CARIAN MATHEMATICAL"
    " OLD OSAGE SCRIPT BLACK-LETTER TIFINAGH".split()
)
# Letters of phonetic writing, which fonts draw as they draw a, g, l, i.
_PHONETIC = frozenset("ɑɡɩɪǀ")

# Where all of these are. Text without them, such as Japanese, is left alone quickly.
_CANDIDATE = re.compile(
    "[\u01c0\u0250-\u02af\u0370-\u058f\u10a0-\u10ff\u13a0-\u13ff\u1c90-\u1cbf\u1f00-\u1fff"
    "\u2100-\u214f\u2c80-\u2d7f\ua4d0-\ua4ff\ua640-\ua69f\uab70-\uabbf"
    "\U00010280-\U000104ff\U0001d400-\U0001d7ff]"
)
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d_]+")


def mark_look_alikes(text: str) -> str:
    """Return the text with the look-alikes of mixed words written out."""
    if not _CANDIDATE.search(text):
        return text
    pieces: list[str] = []
    end = 0
    for mark in MARK.finditer(text):  # our own marks hold Latin letters
        pieces += [_TOKEN.sub(_mark_token, text[end : mark.start()]), mark[0]]
        end = mark.end()
    return "".join(pieces) + _TOKEN.sub(_mark_token, text[end:])


def has_look_alikes(text: str) -> bool:
    """Tell whether a text has a mixed word, or a word of look-alikes and no letter that tells."""
    if not _CANDIDATE.search(text):
        return False
    is_disguised = any(_is_disguised(text, script) for script in _LIKE_LATIN)
    return is_disguised or mark_look_alikes(text) != text


def _mark_token(token: re.Match[str]) -> str:
    """Mark what stands without a space between: раураӏ.com has a word of look-alikes."""
    if not _CANDIDATE.search(token[0]):
        return token[0]
    has_latin = "LATIN" in _scripts(token[0])

    def mark(word: re.Match[str]) -> str:
        suspects = _suspects(word[0], has_latin)
        return "".join(written_out(char) if char in suspects else char for char in word[0])

    return _WORD.sub(mark, token[0])


def _suspects(word: str, has_latin: bool) -> frozenset[str]:
    """Return the letters of a word that pass for letters of the other script in it."""
    if word.isascii():
        return frozenset()
    found = _scripts(word)
    suspects = frozenset(char for char in word if _is_never_with_latin(char))
    if "LATIN" not in found:
        whole = (each for each in _LIKE_LATIN.values() if has_latin and set(word) <= each)
        return next(whole, frozenset())
    for script in _LIKE_LATIN.keys() & found.keys():
        suspects |= _guests(word, script, found)
    return suspects | (_PHONETIC if any(map(str.isascii, word)) else frozenset())


def _guests(word: str, script: str, found: dict[str, int]) -> frozenset[str]:
    """Return the look-alikes of the script that has fewer letters in a word."""
    if found[script] <= found["LATIN"]:
        return _LIKE_LATIN[script]
    # PRщик is an ordinary word, whose R tells; cбербанк is not.
    latin = {char for char in word if _script(char) == "LATIN"}
    return _LIKE_OTHER[script] if latin <= _LIKE_OTHER[script] else frozenset()


def _is_never_with_latin(char: str) -> bool:
    return not char.isascii() and _script(char) in _NEVER_WITH_LATIN


def _is_disguised(text: str, script: str) -> bool:
    """Tell whether all letters of a script look Latin, in a word of two letters or more."""
    like = _LIKE_LATIN[script]
    if not all(char in like for char in text if char.isalpha() and _script(char) == script):
        return False
    return any(len(word) > 1 and set(word) <= like for word in _WORD.findall(text))


def _scripts(text: str) -> dict[str, int]:
    """Count the letters of each script."""
    return Counter(_script(char) for char in text if char.isalpha())


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    """Return the first word of a letter's name, which is its script."""
    script = name(char, "?").split()[0]
    return "LATIN" if script == "FULLWIDTH" else script
