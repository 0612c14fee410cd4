"""Streamed call arguments (JSON path and value, as ADK passes them on) to growing JSON text.

A client parses the text so far at any time, so it only ever grows. Arguments that come in an order
that text cannot follow end the streaming; the complete input still comes with the finished call.
"""

import re
from dataclasses import dataclass, field

import msgspec
from google.genai import types

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_ESCAPE = re.compile(r"\\(.)")
_dump = msgspec.json.encode

Path = tuple[str | int, ...]


@dataclass(slots=True)
class PartialArgs:
    """The arguments of one call while they stream in."""

    open_path: Path = ()
    text_open: bool = False
    started: bool = False
    broken: bool = False
    closed: set[Path] = field(default_factory=set[Path])

    def feed(self, args: list[types.PartialArg]) -> str:
        """Return the text that these arguments add."""
        return "".join(self._add(arg) for arg in args)

    def _add(self, arg: types.PartialArg) -> str:
        path = parse_path(arg.json_path or "")
        if self.text_open and path == self.open_path:
            return self._string(arg)
        if self.broken or not path or path in self.closed:
            self.broken = True
            return ""
        opening = self._close_text() + self._move(path)
        return "" if self.broken else opening + self._value(arg)

    def _close_text(self) -> str:
        was_open, self.text_open = self.text_open, False
        return '"' if was_open else ""

    def _move(self, path: Path) -> str:
        """Close what `path` leaves, open what it enters."""
        old = self.open_path
        shared = 0
        while shared < min(len(old), len(path)) - 1 and old[shared] == path[shared]:
            shared += 1
        if not self._fits(path, shared):
            self.broken = True
            return ""
        leaving = range(len(old) - 1, shared, -1)
        self.closed.update(old[:depth] for depth in range(shared + 1, len(old) + 1))
        out = "".join(_bracket(old[depth], "]}") for depth in leaving)
        out += "," if self.started else _bracket(path[0], "[{")
        self.started, self.open_path = True, path
        out += _key(path[shared])
        for step in path[shared + 1 :]:
            out += _bracket(step, "[{") + _key(step)
        return out

    def _fits(self, path: Path, shared: int) -> bool:
        """Return whether the text can go on with `path`: beside the open path, not within it."""
        if any(path[:depth] in self.closed for depth in range(1, len(path))):
            return False
        if not self.started:
            return True
        old, new = self.open_path[shared], path[shared]
        return old != new and isinstance(old, int) == isinstance(new, int)

    def _value(self, arg: types.PartialArg) -> str:
        if arg.string_value is None:
            return _dump(_scalar(arg)).decode()
        self.text_open = True
        return '"' + self._string(arg)

    def _string(self, arg: types.PartialArg) -> str:
        text = _dump((arg.string_value or "").encode("utf-8", "replace").decode()).decode()[1:-1]
        return text if arg.will_continue else text + self._close_text()


def _scalar(arg: types.PartialArg) -> float | int | bool | None:
    number = arg.number_value
    if number is None:
        return arg.bool_value
    return int(number) if number.is_integer() else number


def _bracket(step: str | int, array_object: str) -> str:
    return array_object[0] if isinstance(step, int) else array_object[1]


def _key(step: str | int) -> str:
    if isinstance(step, int):
        return ""
    return _dump(step.encode("utf-8", "replace").decode()).decode() + ":"


def parse_path(path: str) -> Path:
    """Parse `$.a[0]['b']` into ("a", 0, "b"); anything else is the empty path."""
    steps: list[str | int] = []
    rest = path.removeprefix("$")
    while rest:
        step = _STEP.match(rest)
        if not step:
            return ()
        name, index, single, double = step.groups()
        quoted = _ESCAPE.sub(r"\1", single or double or "")
        steps.append(int(index) if index else (name or quoted))
        rest = rest[step.end() :]
    return tuple(steps)
