"""The fate of a call, judged from its result: by its code, else as a model would, by reading."""

import json
import re
from typing import Any, Literal

from adk_stream_protocol.testing.context.exchange import Outcome

Fate = Literal["done", "denied", "expired", "cancelled", "unknown", "waiting", "failed"]

_FATES: dict[str, Fate] = {
    "denied": "denied",
    "expired": "expired",
    "cancelled": "cancelled",
    "withdrawn": "cancelled",
    "unknown": "unknown",
    "refused": "failed",
    "failed": "failed",
}
# In this order: a denial may give "the offer has expired" as its reason.
_SIGNS: tuple[tuple[Fate, re.Pattern[str]], ...] = (
    ("unknown", re.compile(r"outcome[_ ]unknown|unknown outcome|outcome is unknown")),
    ("waiting", re.compile(r"requires confirmation")),
    ("denied", re.compile(r"rejected|denied|declined|not approved")),
    ("expired", re.compile(r"expired|timed out|lapsed")),
    ("cancelled", re.compile(r"cancell?ed|withdrawn")),
)


def fate_of(outcome: Outcome) -> Fate:
    """Tell how the call ended."""
    if outcome.response is None:
        return "waiting"
    fault = _fault(outcome.response)
    if fault is None:
        return "failed" if outcome.response.get("success") is False else "done"
    if known := _FATES.get(str(outcome.response.get("outcome"))):
        return known
    for fate, sign in _SIGNS:
        if sign.search(fault.lower()):
            return fate
    return "failed"


def reason_of(outcome: Outcome) -> str:
    """Tell why the call did not end well, in the words of its result, without a full stop."""
    response = outcome.response or {}
    reason = response.get("reason") or response.get("user_message")
    if reason is None and fate_of(outcome) == "failed":
        reason = _fault(response) or response.get("message")
    return short(reason).rstrip(".。") if reason is not None else ""


def short(value: Any) -> str:
    """Write a value as it is put into a sentence: on one line and not too long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


def _fault(response: dict[str, Any]) -> str | None:
    for key in ("error", "status", "state"):
        value = response.get(key)
        if key == "error" and value:
            return value if isinstance(value, str) else json.dumps(value, default=str)
        if isinstance(value, str) and any(sign.search(value.lower()) for _, sign in _SIGNS):
            return value
    return None
