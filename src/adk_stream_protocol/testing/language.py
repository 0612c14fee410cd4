"""Which language the user writes, and what the model says in either."""

import re
from collections.abc import Sequence
from typing import Protocol

from adk_stream_protocol.testing.english import English
from adk_stream_protocol.testing.exchange import Outcome
from adk_stream_protocol.testing.japanese import Japanese

_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")


class Wording(Protocol):
    """The model's sentences in one language."""

    greeting: str
    thanks: str
    abilities: str
    which_place: str
    which_track: str

    def report(self, outcomes: Sequence[Outcome]) -> str:
        """One sentence on what became of the calls."""
        ...


def wording_for(message: str) -> Wording:
    """Japanese for a message with kana or kanji, else English."""
    return Japanese() if _JAPANESE.search(message) else English()
