"""One file for scenarios that differ only by the family of their model.

Where the scenarios differ, the file has an object with a value per family, such as
`{"2.5": "…", "3.1": "…"}`; all else stands in it once. In a list, the values are lists whose items
take the object's place; in an object, a family without a value does not have the key. A file has
families if its `model` is such an object.
"""

import json
from collections.abc import Mapping
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, cast

from adk_stream_protocol.recording.scenario.matching import Json

FAMILIES = ("2.5", "3.1")
"""Of live models; ADK treats the two differently."""


def families_of(content: Json) -> tuple[str, ...]:
    """Return the families of a file, in its order; none if it holds one scenario."""
    model = content.get("model")
    return tuple(cast(Json, model)) if _is_choice(model) else ()


def unfold(content: Json, family: str) -> Json:
    """Return the scenario of one family."""
    return _unfolded(content, family)


def fold(scenarios: Mapping[str, Json]) -> Json:
    """Return the content of a file for two scenarios; `unfold` gives back each of them."""
    first, second = scenarios
    content = _Fold(first, second).objects(scenarios[first], scenarios[second])
    for family, scenario in scenarios.items():
        if _text(unfold(content, family)) != _text(scenario):
            raise ValueError(f"the scenario of {family} cannot be told from the file")
    return content


def _unfolded(value: Any, family: str) -> Any:
    if isinstance(value, list):
        items: list[Any] = []
        for item in cast(list[Any], value):
            items += item.get(family, []) if _is_choice(item) else [_unfolded(item, family)]
        return items
    if not isinstance(value, dict):
        return value
    unfolded: Json = {}
    for key, item in cast(Json, value).items():
        if not _is_choice(item):
            unfolded[key] = _unfolded(item, family)
        elif family in item:
            unfolded[key] = item[family]
    return unfolded


def _is_choice(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(key in FAMILIES for key in value)


class _Fold:
    """Folds the values of two families into one, in whichever way is shorter."""

    def __init__(self, first: str, second: str) -> None:
        self._families = (first, second)

    def _choice(self, *values: Any) -> Json:
        return dict(zip(self._families, values, strict=True))

    def objects(self, one: Json, other: Json) -> Json:
        """Fold two objects key by key; the keys of each keep their order."""
        folded: Json = {}
        matcher = SequenceMatcher(None, list(one), list(other), autojunk=False)
        keys, others = list(one), list(other)
        for kind, start, end, other_start, other_end in matcher.get_opcodes():
            if kind == "equal":
                folded |= {key: self._values(one[key], other[key]) for key in keys[start:end]}
                continue
            folded |= {key: {self._families[0]: one[key]} for key in keys[start:end]}
            added = others[other_start:other_end]
            folded |= {key: {self._families[1]: other[key]} for key in added}
        return folded

    def _values(self, one: Any, other: Any) -> Any:
        if _text(one) == _text(other):
            return one
        choice = self._choice(one, other)
        if isinstance(one, list) and isinstance(other, list):
            return _shorter(self._lists(cast(list[Any], one), cast(list[Any], other)), choice)
        if isinstance(one, dict) and isinstance(other, dict):
            ones, others = cast(Json, one), cast(Json, other)
            if _is_in_one_order(ones, others):
                return _shorter(self.objects(ones, others), choice)
        return choice

    def _lists(self, one: list[Any], other: list[Any]) -> list[Any]:
        folded: list[Any] = []
        matcher = SequenceMatcher(None, _texts(one), _texts(other), autojunk=False)
        for kind, start, end, other_start, other_end in matcher.get_opcodes():
            if kind == "equal":
                folded += one[start:end]
            else:
                folded += self._items(one[start:end], other[other_start:other_end])
        return folded

    def _items(self, one: list[Any], other: list[Any]) -> list[Any]:
        apart = [self._only(one, other)]
        pairs = zip_longest(one, other, fillvalue=_MISSING)
        return _shorter([self._pair(*pair) for pair in pairs], apart)

    def _pair(self, one: Any, other: Any) -> Any:
        ones, others = ([] if item is _MISSING else [item] for item in (one, other))
        if ones and others:
            folded = self._values(one, other)
            if not _is_choice(folded):
                return folded
        return self._only(ones, others)

    def _only(self, one: list[Any], other: list[Any]) -> Json:
        return {family: items for family, items in self._choice(one, other).items() if items}


_MISSING: Any = object()


def _is_in_one_order(one: Json, other: Json) -> bool:
    """Tell whether the keys that both have come in the same order."""
    return [key for key in one if key in other] == [key for key in other if key in one]


def _shorter(one: Any, other: Any) -> Any:
    return one if len(_text(one)) <= len(_text(other)) else other


def _texts(values: list[Any]) -> list[str]:
    return [_text(value) for value in values]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
