"""The least a hand-written bridge does for `useChat`: one f-string and a fast JSON encoder.

It knows the text, the tool calls and the tool results of the recorded turns and nothing else: no
reasoning, errors, approvals or metadata. It is the unit of the conversion table.
"""

from google.adk.events import Event
from google.genai import types
from orjson import dumps

START = b'data: {"type":"start","messageId":"m1"}\n\ndata: {"type":"start-step"}\n\n'
NEXT_STEP = 'data: {"type":"finish-step"}\n\ndata: {"type":"start-step"}\n\n'
FINISH = b'data: {"type":"finish-step"}\n\ndata: {"type":"finish"}\n\ndata: [DONE]\n\n'


class Floor:
    """One turn: the open text part, and whether the next text belongs to a new step."""

    __slots__ = ("_answered", "_open", "_texts")

    def __init__(self) -> None:
        self._texts = 0
        self._open = False
        self._answered = False

    def start(self) -> bytes:
        """Return the opening bytes."""
        return START

    def encode(self, event: Event) -> bytes:
        """Return the bytes of one event."""
        if event.partial:
            return "".join([self._delta(part.text) for part in event.content.parts]).encode()
        wire = self._end_text()
        for part in event.content.parts:
            if call := part.function_call:
                wire += _tool_input(call)
            elif result := part.function_response:
                self._answered = True
                wire += _tool_output(result)
        return wire.encode()

    def finish(self) -> bytes:
        """Return the closing bytes."""
        return FINISH

    def _delta(self, text: str) -> str:
        start = "" if self._open else self._start_text()
        delta = dumps(text).decode()
        return f'{start}data: {{"type":"text-delta","id":"{self._texts}","delta":{delta}}}\n\n'

    def _start_text(self) -> str:
        step = NEXT_STEP if self._answered else ""
        self._answered, self._open = False, True
        self._texts += 1
        return f'{step}data: {{"type":"text-start","id":"{self._texts}"}}\n\n'

    def _end_text(self) -> str:
        if not self._open:
            return ""
        self._open = False
        return f'data: {{"type":"text-end","id":"{self._texts}"}}\n\n'


class LiveFloor(Floor):
    """The same for live events, of which it knows the text and the transcription of speech."""

    __slots__ = ()

    def encode(self, event: Event) -> bytes:
        """Return the bytes of one event."""
        if event.partial:
            said = event.output_transcription or event.content.parts[0]
            return self._delta(said.text).encode()
        return self._end_text().encode() if event.turn_complete else b""


def _tool_input(call: types.FunctionCall) -> str:
    return (
        f'data: {{"type":"tool-input-available","toolCallId":"{call.id}",'
        f'"toolName":"{call.name}","input":{dumps(call.args).decode()}}}\n\n'
    )


def _tool_output(result: types.FunctionResponse) -> str:
    return (
        f'data: {{"type":"tool-output-available","toolCallId":"{result.id}",'
        f'"output":{dumps(result.response).decode()}}}\n\n'
    )
