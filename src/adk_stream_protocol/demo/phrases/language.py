"""The two languages of the demo, and what a tool brings for each of them."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.report import Wording
from adk_stream_protocol.testing.script.script import Answer

_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")


@dataclass(frozen=True)
class English(Wording):
    """The English words for a tool's calls."""

    ability: str
    """What the tool can do, after "I can"."""


@dataclass(frozen=True)
class Japanese:
    """The Japanese words for a tool's calls."""

    ability: str
    """What the tool can do, before "ができます"."""
    subject: Callable[[Outcome], str]
    success: Callable[[Outcome], tuple[str, str] | None]
    """What a call brought: as it runs on to a further clause, and as it ends the sentence."""


@dataclass(frozen=True)
class Phrases:
    """All that the scripted model knows of one tool."""

    understand: Answer
    english: English
    japanese: Japanese
    is_vague: bool = False
    """Asked last: its words also stand in requests for something else."""


def either(message: str, english: str, japanese: str) -> str:
    """Choose the Japanese text for a message with kana or kanji, else the English one."""
    return japanese if _JAPANESE.search(message) else english
