"""Compares JSON with what a scenario says, and names what differs.

A scenario writes `<name-1>` for a value that nobody knows beforehand, such as an id. The first
value seen in that place is what the name stands for from then on, wherever else it is written.
"""

import re
from collections.abc import Iterator
from threading import Lock
from typing import Any, cast

Json = dict[str, Any]

NAME = re.compile(r"<[a-z]+-\d+>")


class Names:
    """The values that the names of one scenario stand for."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._lock = Lock()

    def fill(self, value: Any) -> Any:
        """Put what names stand for in their places in a value."""
        if isinstance(value, str):
            if NAME.fullmatch(value):
                return self._values[value]
            return NAME.sub(lambda name: str(self._values[name[0]]), value)
        if isinstance(value, list):
            return [self.fill(item) for item in cast(list[Any], value)]
        if isinstance(value, dict):
            return {key: self.fill(item) for key, item in cast(Json, value).items()}
        return value

    def differences(self, expected: Any, actual: Any, path: str = "") -> list[str]:
        """List what differs, a line each. New names are learnt only if nothing does."""
        with self._lock:
            known = dict(self._values)
            found = list(_compare(expected, actual, path, known))
            if not found:
                self._values = known
            return found


def _compare(expected: Any, actual: Any, path: str, known: Json) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _compare_objects(cast(Json, expected), cast(Json, actual), path, known)
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _compare_lists(cast(list[Any], expected), cast(list[Any], actual), path, known)
    elif isinstance(expected, str) and NAME.search(expected):
        if not _fits(expected, actual, known):
            yield f"{path}: expected {_meant(expected, known)!r}, got {actual!r}"
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        yield f"{path}: expected {expected!r}, got {actual!r}"


def _compare_objects(expected: Json, actual: Json, path: str, known: Json) -> Iterator[str]:
    for key, value in expected.items():
        if key in actual:
            yield from _compare(value, actual[key], f"{path}.{key}", known)
        else:
            yield f"{path}.{key}: expected {value!r}, is missing"
    for key in actual.keys() - expected.keys():
        yield f"{path}.{key}: not expected, got {actual[key]!r}"


def _compare_lists(expected: list[Any], actual: list[Any], path: str, known: Json) -> Iterator[str]:
    for index, (wanted, found) in enumerate(zip(expected, actual, strict=False)):
        yield from _compare(wanted, found, f"{path}[{index}]", known)
    for index, value in enumerate(expected[len(actual) :], len(actual)):
        yield f"{path}[{index}]: expected {value!r}, is missing"
    for index, value in enumerate(actual[len(expected) :], len(expected)):
        yield f"{path}[{index}]: not expected, got {value!r}"


def _fits(expected: str, actual: Any, known: Json) -> bool:
    if NAME.fullmatch(expected):
        return known.setdefault(expected, actual) == actual
    if not isinstance(actual, str):
        return False
    names: list[str] = []
    pattern = ""
    for piece in re.split(f"({NAME.pattern})", expected):
        if NAME.fullmatch(piece) and piece not in known:
            names.append(piece)
            pattern += "(.+?)"
        else:
            pattern += re.escape(str(known.get(piece, piece)))
    found = re.fullmatch(pattern, actual, re.DOTALL)
    if found:
        known.update(zip(names, found.groups(), strict=True))
    return found is not None


def _meant(expected: str, known: Json) -> str:
    return NAME.sub(lambda name: str(known.get(name[0], name[0])), expected)
