"""The script of the demo: greetings and thanks, and the phrases of its tools, in two languages."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from adk_stream_protocol.demo.phrases import english, japanese
from adk_stream_protocol.demo.phrases.language import Phrases, either
from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.actions import Turn, say
from adk_stream_protocol.testing.script.report import report
from adk_stream_protocol.testing.script.script import Answer, Script

_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening))\b"
    r"|こんにち[はわ]|こんばん[はわ]|おはよう|はじめまして|やあ",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\bthank(?:s|\b)|\bthx\b|\bcheers\b|ありがと|感謝|どうも", re.IGNORECASE)
# Enough for any request, and short enough for patterns that look back and forth.
_READ = 1000


def demo_script(tools: Mapping[str, Phrases]) -> Script:
    """Return what the scripted model is taught of these tools, named as the model calls them."""
    in_english = {name: phrases.english for name, phrases in tools.items()}
    in_japanese = {name: phrases.japanese for name, phrases in tools.items()}
    abilities = (
        english.abilities([words.ability for words in in_english.values()]),
        japanese.abilities([words.ability for words in in_japanese.values()]),
    )

    def tell(message: str, outcomes: Sequence[Outcome]) -> str:
        return either(message, report(outcomes, in_english), japanese.report(outcomes, in_japanese))

    def otherwise(message: str) -> list[Turn]:
        return [[say(either(message, *abilities))]]

    phrases = sorted(tools.values(), key=lambda phrases: phrases.is_vague)
    answers = [*(tool.understand for tool in phrases), _courtesy]
    return Script([_normalized(answer) for answer in answers], _normalized(otherwise), tell)


def _normalized(answer: Answer) -> Answer:
    """Pass the answer a message of moderate length, without half-width and full-width forms."""
    return lambda message: answer(unicodedata.normalize("NFKC", message[:_READ]))


def _courtesy(text: str) -> list[Turn]:
    if _THANKS.search(text):
        return [[say(either(text, english.THANKS, japanese.THANKS))]]
    if _GREETING.search(text):
        return [[say(either(text, english.GREETING, japanese.GREETING))]]
    return []
