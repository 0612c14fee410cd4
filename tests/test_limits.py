"""The limits: one object, documented, and refused where they make no sense."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol import Limits

DOCS = Path(__file__).parents[1] / "docs" / "limits.md"


def test_every_limit_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [one.name for one in fields(Limits) if f"`{one.name}`" not in text] == []


@pytest.mark.parametrize(
    "given", [{"body": 0}, {"recheck": -1.0}, {"stalled": float("inf")}, {"depth": float("nan")}]
)
def test_a_limit_that_is_none_is_refused(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(ValueError, match=f"Limits.{name} must be greater than 0"):
        Limits(**given)
