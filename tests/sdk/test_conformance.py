"""The golden turns before the SDKs: their schemas, old and new, and their readers."""

import json
from pathlib import Path

import pytest

from tests.support.sdk.judge import Judge

TURNS = Path(__file__).parents[2] / "fixtures" / "turns"
FILES = sorted(TURNS.glob("*.json"))


def test_there_are_golden_turns() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_judges_accept_a_golden_turn(judge: Judge, file: Path) -> None:
    turn = json.loads(file.read_text())
    replies = [turn[name] for name in ("asked", "chunks") if name in turn]
    verdict = judge.ask(do="judge", replies=replies)
    assert verdict["faults"] == []
    # Some turns end in an error before there is a message to show.
    majors = [message and message["parts"] for message in verdict["messages"].values()]
    assert majors[0] == majors[1]


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "no-such-chunk"},
        {"type": "finish", "finishReason": "tool_calls"},
        {"type": "start", "messageId": None},
        {"type": "start", "private": 1},
    ],
)
def test_the_judges_are_awake(judge: Judge, chunk: dict[str, object]) -> None:
    assert judge.ask(do="judge", replies=[[chunk]])["faults"]


def test_the_readers_are_awake(judge: Judge) -> None:
    stray = {"type": "tool-output-available", "toolCallId": "unknown", "output": 1}
    faults = judge.ask(do="judge", replies=[[{"type": "start"}, stray]])["faults"]
    assert [fault.split()[0] for fault in faults] == ["ai6", "ai7"]
