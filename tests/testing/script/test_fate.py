"""What became of a call, judged from its result."""

from typing import Any

import pytest

from adk_stream_protocol.testing import Outcome
from adk_stream_protocol.testing.script.fate import Fate, fate_of, reason_of, short


@pytest.mark.parametrize(
    ("response", "fate"),
    [
        (None, "waiting"),
        ({"error": "This tool call requires confirmation."}, "waiting"),
        ({}, "done"),
        ({"status": "sent"}, "done"),
        ({"success": False}, "failed"),
        ({"error": "no money"}, "failed"),
        ({"error": {"code": 7}}, "failed"),
        ({"error": "denied: the offer has expired"}, "denied"),
        ({"state": "expired"}, "expired"),
        ({"error": "withdrawn"}, "cancelled"),
        ({"error": "outcome_unknown"}, "unknown"),
    ],
)
def test_the_fate_of_a_call(response: dict[str, Any] | None, fate: Fate) -> None:
    assert fate_of(Outcome("f", {}, response)) == fate


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"error": "denied", "reason": "Too much."}, "Too much"),
        ({"error": "denied", "user_message": "今はだめ。"}, "今はだめ"),
        ({"error": "denied"}, ""),
        ({"error": "no money"}, "no money"),
        ({"success": False, "message": "full"}, "full"),
        (None, ""),
    ],
)
def test_the_reason_of_a_failure(response: dict[str, Any] | None, reason: str) -> None:
    assert reason_of(Outcome("f", {}, response)) == reason


def test_a_value_in_a_sentence_is_short_and_on_one_line() -> None:
    assert short("a\n b") == "a b"
    assert short({"a": "花"}) == '{"a": "花"}'
    assert short("x" * 500) == "x" * 199 + "…"
