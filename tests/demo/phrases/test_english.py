"""What the demo's model says in English beside the words for single tools."""

import pytest

from adk_stream_protocol.demo.agent import TOOLS
from adk_stream_protocol.demo.phrases import english, japanese


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        (["send money", "sing"], "I can send money and sing."),
        (["send money", "cook", "sing"], "I can send money, cook and sing."),
    ],
)
def test_abilities_are_one_sentence(tools: list[str], sentence: str) -> None:
    assert english.abilities(tools) == sentence


def test_the_words_of_both_languages_are_there_for_every_tool() -> None:
    assert english.GREETING and english.THANKS
    assert {japanese.GREETING, japanese.THANKS}.isdisjoint({english.GREETING, english.THANKS})
    for tool in TOOLS:
        words = tool.phrases
        assert words.english.ability.isascii() and not words.japanese.ability.isascii()
