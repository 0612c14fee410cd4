"""Puts names in the places of ids and times, so that a recorded scenario is the same every time."""

import re
from collections.abc import Iterator
from typing import Any, cast

from adk_stream_protocol.recording.scenario.matching import Json

_BY_KEY = {
    "messageId": "message",
    "toolCallId": "call",
    "approvalId": "approval",
    "transaction_id": "transaction",
    "expiresAt": "time",
}
_HEX = "[0-9a-f]"
_MADE_HERE = re.compile(
    rf"(?:adk-|txn-)?{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
    rf"|msg-{_HEX}{{24}}"
    r"|\d{4}-\d\d-\d\dT[\d:.]+Z"
)
_REFERENCE = re.compile(rf"(?<=reference ){_HEX}{{8}}")


class Naming:
    """Names the values of one scenario, each by the place where it is first seen."""

    def __init__(self, varies: dict[str, str] | None = None) -> None:
        self._varies = varies or {}
        self._names: dict[Any, str] = {}
        self._kept: set[str] = set()
        self._said: set[str] = set()

    def keep(self, value: Any) -> None:
        """Leave the ids in this as they are: the client or the model made them."""
        for text in _strings(value):
            self._kept.update(found for found in _made_here(text) if found not in self._names)

    def hear(self, value: Any) -> None:
        """Learn from what the model says, which may also repeat an id that has a name."""
        self.keep(value)
        for text in _strings(value):
            self._said.update(found for found in _made_here(text) if found in self._names)

    def learn(self, value: Any, key: str = "") -> None:
        """Find the values that are new in every run."""
        if key in self._varies and isinstance(value, str | int | float):
            self._name((key, value), self._varies[key])
        elif isinstance(value, dict):
            for inner, item in cast(Json, value).items():
                self.learn(item, inner)
        elif isinstance(value, list):
            for item in cast(list[Any], value):
                self.learn(item, key)
        elif isinstance(value, str):
            for found in _REFERENCE.findall(value):
                self._name(found, "reference")
            for found in _MADE_HERE.findall(value):
                self._name(found, _BY_KEY.get(key, "id"))

    def apply(self, value: Any, key: str = "", *, said: bool = False) -> Any:
        """Put names in a value in place of what `learn` has found.

        What the model `said` in several pieces has its ids in none of them: where its words come
        back as a whole, such an id stays as it is, as it does in the pieces.
        """
        if (name := self._varying(key, value)) is not None:
            return name
        if isinstance(value, dict):
            content = cast(Json, value)
            said = said or content.get("role") == "model"
            return {inner: self.apply(item, inner, said=said) for inner, item in content.items()}
        if isinstance(value, list):
            return [self.apply(item, key, said=said) for item in cast(list[Any], value)]
        if isinstance(value, str):
            return self._named(value, said)
        return value

    def _varying(self, key: str, value: Any) -> str | None:
        if key in self._varies and isinstance(value, str | int | float):
            return self._names.get((key, value))
        return None

    def _named(self, text: str, said: bool) -> str:
        for made, name in self._names.items():
            if isinstance(made, str) and (not said or made in self._said):
                text = text.replace(made, name)
        return text

    def _name(self, made: str | tuple[str, Any], kind: str) -> None:
        if made not in self._names and made not in self._kept:
            number = sum(name.startswith(f"<{kind}-") for name in self._names.values()) + 1
            self._names[made] = f"<{kind}-{number}>"


def _made_here(text: str) -> list[str]:
    return [*_REFERENCE.findall(text), *_MADE_HERE.findall(text)]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in cast(Json, value).values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in cast(list[Any], value):
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
