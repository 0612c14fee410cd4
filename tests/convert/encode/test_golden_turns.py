"""Every recorded turn becomes exactly the chunks it was recorded with."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden.record import TURNS, encode_turn

FILES = sorted(TURNS.glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_recorded_turn_encodes_to_its_chunks(file: Path) -> None:
    turn: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert encode_turn(turn) == turn["chunks"]


def test_there_are_recorded_turns() -> None:
    assert len(FILES) >= 36
