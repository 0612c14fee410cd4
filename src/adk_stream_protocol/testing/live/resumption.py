"""Handles with which a dialogue goes on over a new connection."""

from collections import OrderedDict
from uuid import uuid4
from weakref import WeakValueDictionary

from google.genai import errors

from adk_stream_protocol.testing.live.dialogue import Dialogue


class Dialogues:
    """The dialogues that can be resumed: those that go on, and the last ones that did.

    A real server forgets them after two hours.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._last: OrderedDict[str, Dialogue] = OrderedDict()
        self._known: WeakValueDictionary[str, Dialogue] = WeakValueDictionary()

    def handle_for(self, dialogue: Dialogue) -> str:
        """Make a new handle for a dialogue."""
        self._known[dialogue.id] = self._last[dialogue.id] = dialogue
        self._last.move_to_end(dialogue.id)
        if len(self._last) > self._most:
            self._last.popitem(last=False)
        return f"{dialogue.id}.{uuid4().hex}"

    def find(self, handle: str) -> Dialogue:
        """Find the dialogue of a handle, old or new."""
        key = handle.partition(".")[0]
        if key not in self._known:
            raise errors.APIError(1008, "BidiGenerateContent session not found")
        return self._known[key]
