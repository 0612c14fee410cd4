"""JSON as we take it: finite numbers, no duplicate keys, real Unicode, bounded in every way."""

import json
import math
import re
from collections import Counter
from typing import Any

from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits

_HALF_PAIR = re.compile("[\ud800-\udfff]")
_ODD_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


def loads(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> Any:
    """Parse, or raise BadRequest with the path of the fault."""
    if len(raw) > limits.values and _values_in(raw, limits.values) > limits.values:
        raise BadRequest(f"$: at most {limits.values} values are expected")
    depth, numbers = limits.depth, _Numbers()
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_Objects(limits.keys).read,
            parse_constant=_constant,
            parse_float=numbers.read,
        )
    except UnicodeDecodeError:
        raise BadRequest("$: not UTF-8") from None
    except RecursionError:
        raise BadRequest(f"$: nested deeper than {depth}") from None
    except ValueError as error:
        raise BadRequest(f"$: not JSON: {str(error)[:200]}") from None
    # A page sends its whole conversation each time: what is surely sound is not looked at again.
    if numbers.are_finite and not _ODD_ESCAPE.search(raw) and _is_shallow(value, depth):
        return value
    try:
        _Walk(depth).check(value, depth)
    except _Fault as fault:
        path = "".join(reversed(fault.path)).encode("utf-8", "replace").decode()
        raise BadRequest(f"${path[:200]}: {fault}") from None
    return value


def _values_in(raw: bytes, enough: int) -> int:
    """Count the values at most that a text can hold, without parsing it.

    Commas and brackets may stand in strings. Those are taken out where they make a difference.
    """
    found = _separators(raw)
    if found <= enough:
        return found
    plain = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    strings = plain.count(b'"') // 2
    if strings > 2 * enough:  # each is a value, or the key of one
        return strings // 2
    return _separators(b"".join(plain.split(b'"')[::2]))


def _separators(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{") + 1


class _Objects:
    """Makes the objects."""

    def __init__(self, max_keys: int) -> None:
        self._max_keys = max_keys

    def read(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) > self._max_keys:
            raise ValueError(f"an object has more than {self._max_keys} keys")
        result = dict(pairs)
        if len(result) != len(pairs):
            ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
            raise ValueError(f"duplicate key {twice[:100]!r}")
        return result


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


class _Numbers:
    """Reads the numbers with a fraction or an exponent."""

    are_finite = True

    def read(self, text: str) -> float:
        number = float(text)
        self.are_finite = self.are_finite and math.isfinite(number)
        return number


def _is_shallow(value: Any, depth: int) -> bool:
    level: list[Any] = [value]
    for _ in range(depth + 1):
        nested = [item for item in level if type(item) is dict or type(item) is list]
        if not nested:
            return True
        level = [
            inner for item in nested for inner in (item.values() if type(item) is dict else item)
        ]
    return False


class _Fault(Exception):
    """A fault whose path is gathered on the way out, so that sound input pays nothing for it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.path: list[str] = []


class _Walk:
    """Looks at every value once more."""

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def check(self, value: Any, left: int) -> None:
        if isinstance(value, str):
            _check_text(value)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise _Fault("the number is out of range")
        elif isinstance(value, dict | list):
            if left == 0:
                raise _Fault(f"nested deeper than {self._depth}")
            self._check_items(value, left - 1)

    def _check_items(self, value: dict[str, Any] | list[Any], left: int) -> None:
        pairs = enumerate(value) if isinstance(value, list) else value.items()
        for key, item in pairs:
            try:
                if isinstance(key, str):
                    _check_text(key)
                self.check(item, left)
            except _Fault as fault:
                fault.path.append(f".{key}" if isinstance(key, str) else f"[{key}]")
                raise


def _check_text(text: str) -> None:
    # PostgreSQL stores no NUL; half of a surrogate pair cannot be stored or sent at all.
    if "\0" in text:
        raise _Fault("the text holds a NUL character")
    if not text.isascii() and _HALF_PAIR.search(text):
        raise _Fault("the text is not valid Unicode")
