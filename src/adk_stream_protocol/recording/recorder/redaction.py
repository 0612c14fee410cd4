"""Takes secrets out of a recording, wherever they stand in it.

Each character is replaced by a star, so that pieces which belong together still do: a secret that
the model says in three deltas is masked in all three.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from adk_stream_protocol.recording.scenario.matching import Json

SHORTEST = 8
"""Shorter values are not searched for: `Bearer bob` must not blacken every Bob."""

_PIECES = ("text", "delta", "inputTextDelta", "stringValue")


class Redaction:
    """The values and patterns of one recording."""

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._patterns = [re.compile(pattern) for pattern in patterns]
        self._secrets: set[str] = set()

    def secret(self, value: str) -> None:
        """Remember a value that must not be in the file."""
        if len(value) >= SHORTEST:
            self._secrets.add(value)

    def apply(self, value: Any) -> Any:
        """Return a copy without the secrets."""
        patterns = self._all()
        return _mask_pieces(_masked(value, patterns), patterns) if patterns else value

    def text(self, text: str) -> str:
        """Return a line without the secrets."""
        return _stars(text, self._all())

    def _all(self) -> list[re.Pattern[str]]:
        known = [re.compile(re.escape(secret)) for secret in sorted(self._secrets)]
        return [*known, *self._patterns]


def _masked(value: Any, patterns: list[re.Pattern[str]]) -> Any:
    if isinstance(value, dict):
        return {key: _masked(item, patterns) for key, item in cast(Json, value).items()}
    if isinstance(value, list):
        return [_masked(item, patterns) for item in cast(list[Any], value)]
    return _stars(value, patterns) if isinstance(value, str) else value


def _stars(text: str, patterns: list[re.Pattern[str]]) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda found: "*" * len(found[0]), text)
    return text


def _mask_pieces(value: Any, patterns: list[re.Pattern[str]]) -> Any:
    """Mask what is spread over pieces of the same kind, in the order of the file."""
    for name in _PIECES:
        holders = list(_holders(value, name))
        whole = "".join(holder[name] for holder in holders)
        masked = _stars(whole, patterns)
        if masked != whole:
            start = 0
            for holder in holders:
                end = start + len(holder[name])
                holder[name] = masked[start:end]
                start = end
    return value


def _holders(value: Any, name: str) -> Iterator[Json]:
    if isinstance(value, dict):
        content = cast(Json, value)
        if isinstance(content.get(name), str):
            yield content
        for item in content.values():
            yield from _holders(item, name)
    elif isinstance(value, list):
        for item in cast(list[Any], value):
            yield from _holders(item, name)
