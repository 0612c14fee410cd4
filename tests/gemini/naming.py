"""Puts names in the places of ids and times, so that a recorded scenario is the same every time."""

import re
from typing import Any, cast

from tests.gemini.matching import Json

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

    def learn(self, value: Any, key: str = "") -> None:
        """Find the values that are new in every run."""
        if key in self._varies:
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

    def apply(self, value: Any, key: str = "") -> Any:
        """The value with names for what `learn` has found."""
        if key in self._varies:
            return self._names[(key, value)]
        if isinstance(value, dict):
            return {inner: self.apply(item, inner) for inner, item in cast(Json, value).items()}
        if isinstance(value, list):
            return [self.apply(item, key) for item in cast(list[Any], value)]
        if isinstance(value, str):
            return self._named(value)
        return value

    def _named(self, text: str) -> str:
        for made, name in self._names.items():
            if isinstance(made, str):
                text = text.replace(made, name)
        return text

    def _name(self, made: str | tuple[str, Any], kind: str) -> None:
        if made not in self._names:
            number = sum(name.startswith(f"<{kind}-") for name in self._names.values()) + 1
            self._names[made] = f"<{kind}-{number}>"
