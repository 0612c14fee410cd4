"""Comparing with a scenario: what differs is named, and a name stands for one value."""

import pytest

from adk_stream_protocol.recording.scenario.matching import Names

PAIRS = [
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1}, {"a": 2}, ["x.a: expected 1, got 2"]),
    ({"a": 1}, {}, ["x.a: expected 1, is missing"]),
    ({}, {"a": 1}, ["x.a: not expected, got 1"]),
    ([1, 2], [1], ["x[1]: expected 2, is missing"]),
    ([1], [1, 2], ["x[1]: not expected, got 2"]),
    ({"a": [{"b": "c"}]}, {"a": [{"b": "d"}]}, ["x.a[0].b: expected 'c', got 'd'"]),
    (True, 1, ["x: expected True, got 1"]),
    ("text", 1, ["x: expected 'text', got 1"]),
    ("at <time-1>", 1, ["x: expected 'at <time-1>', got 1"]),
    ("(a <id-1>.)", "(a 7)", ["x: expected '(a <id-1>.)', got '(a 7)'"]),
]


@pytest.mark.parametrize(("expected", "actual", "found"), PAIRS)
def test_what_differs_is_named(expected: object, actual: object, found: list[str]) -> None:
    assert Names().differences(expected, actual, "x") == found


def test_a_name_stands_for_one_value() -> None:
    names = Names()
    assert names.differences(["<call-1>", "<call-1>"], ["a", "a"]) == []
    assert names.differences("<call-1>", "b", "x") == ["x: expected 'a', got 'b'"]
    assert names.differences("see <call-1>, <time-1>", "see a, now") == []
    assert names.fill({"id": "<call-1>", "text": ["at <time-1>"]}) == {
        "id": "a",
        "text": ["at now"],
    }


def test_a_name_may_stand_for_a_number() -> None:
    names = Names()
    assert names.differences("<balance-1>", 950) == []
    assert names.fill("<balance-1>") == 950


def test_nothing_is_learnt_from_what_differs() -> None:
    names = Names()
    assert names.differences(["<call-1>", 1], ["a", 2], "x") == ["x[1]: expected 1, got 2"]
    assert names.differences("<call-1>", "b") == []


def test_an_unknown_name_cannot_be_filled() -> None:
    with pytest.raises(KeyError, match="<call-1>"):
        Names().fill("<call-1>")
