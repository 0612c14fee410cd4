"""Handles with which a dialogue goes on over a new connection."""

from collections import OrderedDict
from uuid import uuid4

from google.genai import errors

from adk_stream_protocol.testing.dialogue import Dialogue


class Dialogues:
    """The dialogues that can be resumed, the most recently used ones only.

    A real server forgets them after two hours.
    """

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._kept: OrderedDict[str, Dialogue] = OrderedDict()

    def handle_for(self, dialogue: Dialogue) -> str:
        """A new handle for a dialogue."""
        self._kept[dialogue.id] = dialogue
        self._kept.move_to_end(dialogue.id)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return f"{dialogue.id}.{uuid4().hex}"

    def find(self, handle: str) -> Dialogue:
        """The dialogue of a handle, old or new."""
        key = handle.partition(".")[0]
        if key not in self._kept:
            raise errors.APIError(1008, "BidiGenerateContent session not found")
        return self._kept[key]
