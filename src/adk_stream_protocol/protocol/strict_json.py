"""JSON as we take it: finite numbers, no duplicate keys, real Unicode, bounded depth."""

import json
import math
import re
from collections import Counter
from typing import Any

from adk_stream_protocol.errors import BadRequest

MAX_DEPTH = 32
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_ODD_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


def loads(raw: bytes) -> Any:
    """Parse, or raise BadRequest with the path of the fault."""
    numbers = _Numbers()
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=numbers.read,
        )
    except UnicodeDecodeError:
        raise BadRequest("$: not UTF-8") from None
    except RecursionError:
        raise BadRequest(f"$: nested deeper than {MAX_DEPTH}") from None
    except ValueError as error:
        raise BadRequest(f"$: not JSON: {error}") from None
    # A page sends its whole conversation each time: what is surely sound is not looked at again.
    if numbers.are_finite and not _ODD_ESCAPE.search(raw) and _is_shallow(value):
        return value
    try:
        _check(value, MAX_DEPTH)
    except _Fault as fault:
        path = "".join(reversed(fault.path)).encode("utf-8", "replace").decode()
        raise BadRequest(f"${path}: {fault}") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"duplicate key {twice!r}")
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


def _is_shallow(value: Any) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        nested = [one for one in level if type(one) is dict or type(one) is list]
        if not nested:
            return True
        level = [item for one in nested for item in (one.values() if type(one) is dict else one)]
    return False


class _Fault(Exception):
    """A fault whose path is gathered on the way out, so that sound input pays nothing for it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.path: list[str] = []


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise _Fault("the number is out of range")
    elif isinstance(value, dict | list):
        if depth == 0:
            raise _Fault(f"nested deeper than {MAX_DEPTH}")
        _check_items(value, depth - 1)


def _check_items(value: dict[str, Any] | list[Any], depth: int) -> None:
    pairs = enumerate(value) if isinstance(value, list) else value.items()
    for key, item in pairs:
        try:
            if isinstance(key, str):
                _check_text(key)
            _check(item, depth)
        except _Fault as fault:
            fault.path.append(f".{key}" if isinstance(key, str) else f"[{key}]")
            raise


def _check_text(text: str) -> None:
    # PostgreSQL stores no NUL; half of a surrogate pair cannot be stored or sent at all.
    if "\0" in text:
        raise _Fault("the text holds a NUL character")
    if not text.isascii() and _HALF_PAIR.search(text):
        raise _Fault("the text is not valid Unicode")
