"""The plain sentence on what became of the calls."""

from typing import Any

import pytest

from adk_stream_protocol.testing import Outcome
from adk_stream_protocol.testing.script.report import Wording, report


def told(response: dict[str, Any] | None) -> str:
    return report([Outcome("f", {}, response)])


@pytest.mark.parametrize(
    ("response", "sentence"),
    [
        ({"a": 1}, 'The call of f returned {"a": 1}.'),
        ({"error": "denied", "reason": "No."}, "The call of f was denied (No)."),
        (None, "The call of f is still waiting for an answer."),
        ({"error": "no money"}, "The call of f failed (no money)."),
    ],
)
def test_one_call(response: dict[str, Any] | None, sentence: str) -> None:
    assert told(response) == sentence


def test_several_calls_make_one_sentence() -> None:
    outcomes = [Outcome("f", {}, {}), Outcome("g", {}, {"error": "cancelled"})]
    assert report(outcomes) == "The call of f returned {}, and the call of g was cancelled."


def test_no_calls_still_make_a_sentence() -> None:
    assert report([]) == "There was nothing to do."


def test_long_results_are_cut() -> None:
    assert len(told({"text": "x" * 10_000})) < 250


def test_a_tool_may_have_its_own_words() -> None:
    wording = Wording(
        subject=lambda call: f"number {call.args['n']}",
        success=lambda call: "all went well" if call.response == {"ok": True} else None,
    )
    words = {"f": wording}
    assert report([Outcome("f", {"n": 1}, {"ok": True})], words) == "All went well."
    assert report([Outcome("f", {"n": 1}, {"error": "denied"})], words) == "Number 1 was denied."
    assert report([Outcome("f", {}, {"b": 2})], words) == 'The call of f returned {"b": 2}.'
