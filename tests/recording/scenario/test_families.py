"""Scenarios of two families in one file: what was put in comes out, byte for byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.recording.scenario.families import families_of, fold, unfold
from adk_stream_protocol.recording.scenario.scenario import SocketScenario, load, read, write
from tests.support.gemini.files import WIRE

FILES = sorted(WIRE.rglob("*.json"))
IDS = [f"{file.parent.name}-{file.stem}" for file in FILES]


def text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def scenario(model: str, **fields: Any) -> dict[str, Any]:
    return {"about": "A test.", "model": model, **fields}


@pytest.mark.parametrize(
    ("one", "other", "folded"),
    [
        ({"a": 1}, {"a": 1}, {"a": 1}),
        ({"a": 1}, {"a": 2}, {"a": {"2.5": 1, "3.1": 2}}),
        ({"a": None}, {}, {"a": {"2.5": None}}),
        ({}, {"b": []}, {"b": {"3.1": []}}),
        ({"a": [1, 2, 3]}, {"a": [1, 3]}, {"a": [1, {"2.5": [2]}, 3]}),
        ({"a": True}, {"a": 1}, {"a": {"2.5": True, "3.1": 1}}),
        ({"a": 1.0}, {"a": 1}, {"a": {"2.5": 1.0, "3.1": 1}}),
        (
            {"a": [{"send": {"long": "x" * 99, "n": 1}}]},
            {"a": [{"send": {"long": "x" * 99, "n": 2}}]},
            {"a": [{"send": {"long": "x" * 99, "n": {"2.5": 1, "3.1": 2}}}]},
        ),
    ],
)
def test_two_scenarios_in_one_file(one: Any, other: Any, folded: Any) -> None:
    pair = {"2.5": scenario("two", **one), "3.1": scenario("three", **other)}
    content = fold(pair)
    assert content == scenario("", **folded) | {"model": {"2.5": "two", "3.1": "three"}}
    assert families_of(content) == ("2.5", "3.1")
    assert {family: text(unfold(content, family)) for family in pair} == {
        family: text(value) for family, value in pair.items()
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([[1, 2]], [[1], [2]]),
        ({}, {"x": {}}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([{"b": 1}, "x"], ["x", {"b": 2}, 5]),
        ([], [None]),
        ([1], {"0": 1}),
    ],
)
def test_whatever_differs_comes_back(one: Any, other: Any) -> None:
    pair = {"2.5": scenario("two", a=one), "3.1": scenario("three", a=other)}
    content = fold(pair)
    for family, value in pair.items():
        assert text(unfold(content, family)) == text(value)


def test_what_would_not_come_back_is_refused() -> None:
    backwards = dict(reversed(scenario("three").items()))
    with pytest.raises(ValueError, match="cannot be told"):
        fold({"2.5": scenario("two"), "3.1": backwards})
    with pytest.raises(ValueError, match="cannot be told"):
        fold({"2.5": scenario("two", a={"2.5": 1}), "3.1": scenario("three", a={"2.5": 1})})


def test_a_file_of_one_scenario_has_no_families(tmp_path: Path) -> None:
    assert families_of(scenario("gemini")) == ()
    file = tmp_path / "chat.json"
    file.write_text(text(scenario("gemini", connections=[], turns=[])), encoding="utf-8")
    assert list(read(file)) == [""]
    before = file.read_bytes()
    write(file, {"": load(file, SocketScenario)})
    assert file.read_bytes() == before


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_a_fixture_is_written_as_it_was_read(file: Path) -> None:
    contents = read(file)
    folded = contents[""] if "" in contents else fold(contents)
    assert file.read_text(encoding="utf-8") == text(folded)


def test_no_fixture_of_a_family_stands_apart() -> None:
    assert [file.name for file in FILES if file.stem.endswith(("-2.5", "-3.1"))] == []
