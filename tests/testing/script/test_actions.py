"""Texts are said in pieces that join to the text."""

import pytest

from adk_stream_protocol.testing import Say, say
from adk_stream_protocol.testing.script.actions import deltas


@pytest.mark.parametrize("text", ["Hello! What can I do?", "どういたしまして！", "a", ""])
def test_pieces_join_to_the_text(text: str) -> None:
    assert "".join(deltas(text)) == text
    assert say(text) == Say(deltas(text))


def test_pieces_are_about_as_long_as_tokens() -> None:
    assert deltas("one extraordinarily long") == ("one ", "extraord", "inarily ", "long")
