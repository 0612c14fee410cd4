"""Live events to chunks, and where a turn ends among them.

Unlike in request mode, ADK gives every live event its own id, repeats streamed text once when it is
complete, and delivers speech as transcriptions next to the audio (google-adk 2.13).
"""

from base64 import b64encode
from typing import Any

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.calls import Calls
from adk_stream_protocol.convert.encode import endings
from adk_stream_protocol.convert.encode.steps import ResponseInProgress
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.convert.events import model_speech, parts_of, user_speech
from adk_stream_protocol.protocol.chunks import AnyChunk, Data, TextDelta


class LiveTurnEncoder(TurnEncoder):
    """The turn encoder, for events of a live run."""

    def __init__(
        self,
        message_id: str | None = None,
        *,
        audio: bool = False,
        after: "LiveTurnEncoder | None" = None,
        **options: Any,
    ) -> None:
        super().__init__(message_id, **options)
        self._audio = audio
        self._streamed = {False: 0, True: 0}
        """How much text, and how much reasoning, was streamed and not yet repeated whole."""
        self._heard = self._speech_id = ""
        if after:
            # ADK may repeat in this turn what was streamed in the one before (google-adk 2.13).
            self._streamed = after._streamed
            self._heard, self._speech_id = after._heard, after._speech_id
            if "calls" in options:  # the same message goes on
                self._held = after._held

    def encode(self, event: Event) -> list[AnyChunk]:
        """Encode one event."""
        out: list[AnyChunk] = []
        if speech := model_speech(event):
            self._say(event, speech.text or "", False, event.partial is not True, out)
        elif speech := user_speech(event):
            out += self._hear(event, speech)
        elif (content := event.content) and (parts := content.parts):
            is_whole, text = not event.partial, None
            for part in parts:
                if text := part.text:
                    self._say(event, text, part.thought is True, is_whole, out)
            if is_whole or not text:
                self._others(event, parts, out)
                self._note(event, out)
        else:
            self._note(event, out)
        if event.interrupted or event.turn_complete:
            out += self._close_all()
            self._streamed = {False: 0, True: 0}
        return out

    def _note(self, event: Event, out: list[AnyChunk]) -> None:
        super()._note(event, out)
        if code := endings.live_code(event.turn_complete_reason):
            self._note_error(code)

    def _current(self, event: Event, out: list[AnyChunk]) -> ResponseInProgress:
        response = self._responses.get(event.author)
        if response is None:
            response = self._responses[event.author] = self._open(event, out)
        return response

    def _say(
        self, event: Event, text: str, thought: bool, is_whole: bool, out: list[AnyChunk]
    ) -> None:
        if is_whole:
            text, self._streamed[thought] = text[self._streamed[thought] :], 0
        else:
            self._streamed[thought] += len(text)
        if text:
            response = self._responses.get(event.author) or self._current(event, out)
            if thought:
                self._reasoning(response, text, out)
            elif response.text:  # the way of nearly all events, kept short
                out.append(TextDelta(id=response.text, delta=text))
            else:
                self._text(response, text, out)

    def _hear(self, event: Event, speech: types.Transcription) -> list[AnyChunk]:
        """Show what the user said, as far as it is known; each chunk replaces the one before."""
        said = speech.text or ""
        text = said if speech.finished else self._heard + said
        spoken = self._speech_id = self._speech_id or event.id
        self._heard = "" if speech.finished else text
        if speech.finished:
            self._speech_id = ""
        data = {"id": spoken, "text": text}
        return [Data(type="data-user-message", id=spoken, data=data)] if text else []

    def _others(self, event: Event, parts: list[types.Part], out: list[AnyChunk]) -> None:
        """Encode all parts of an event but its text."""
        is_sound, asks = True, False
        for part in parts:
            if (blob := part.inline_data) and (blob.mime_type or "").startswith("audio/"):
                out += self._pcm(blob)
                continue
            is_sound, asks = False, asks or part.function_call is not None
            if _is_beside_text(part):
                self._partial_part(event, self._current(event, out), part, out)
        if is_sound:
            return
        response = None
        if asks:
            response = self._responses.pop(event.author, None) or self._open(event, out)
        self._tool_parts(event, parts, response, out)

    def _pcm(self, blob: types.Blob) -> list[AnyChunk]:
        if not self._audio or not blob.data:
            return []
        data = {"mimeType": blob.mime_type, "data": b64encode(blob.data).decode("ascii")}
        return [Data(type="data-pcm", data=data, transient=True)]


class LiveProgress:
    """Follows what the model does, event by event, to know where a turn is over."""

    def __init__(self) -> None:
        self.sends_calls_immediately = True
        """False for models that end their own turn after a call, and take another for the rest."""
        self.is_speaking = False
        """The model has begun to say something that it has not ended."""
        self._is_answer_due = False
        """The model was sent something that it has not begun to answer."""
        self._call_ends_due = 0
        """How many ends of the model's own turn are still to come after its calls."""
        self._is_interrupted = False
        """What the model was saying was cut short, and the end of that is still to come."""
        self._has_tool_result = False
        """A tool has given its result since the model was last sent something."""
        self._interrupts = False
        """What the model was last sent came while it was speaking."""
        self._has_said_all = False
        """It has said all, but the end of its own turn is still to come, or waits for a call."""

    @property
    def owes_more(self) -> bool:
        """Return whether more is to come from the model by itself."""
        return self.is_speaking or self._is_answer_due

    def sent(self) -> None:
        """Note that the model was sent a message or a result."""
        self._is_answer_due, self._has_tool_result, self._interrupts = True, False, self.is_speaking

    def abandon(self) -> None:
        """Expect nothing more: nobody waits for what the model still says."""
        self._is_answer_due = self.is_speaking = False

    def connected(self, *, sends_calls_immediately: bool) -> None:
        """Note that the link to the model is new; what the old one still owed will not come."""
        self.sends_calls_immediately = sends_calls_immediately
        self._call_ends_due = 0

    def is_over_after(self, event: Event, calls: Calls) -> bool:
        """Take an event into account. Return whether it ends the turn whose calls these are."""
        if event.partial:
            if user_speech(event) is None:
                self._begin()
            return False
        if event.turn_complete:
            return self._completed(event, calls)
        if event.interrupted:  # what was cut short is complete with an event of its own
            self._is_interrupted = True
            return False
        if event.content is None and model_speech(event) is None:
            return False
        if event.get_function_responses():
            self._is_answer_due = self._has_tool_result = True
            return is_waiting(calls)
        self._begin()
        if event.get_function_calls():
            self.is_speaking = False
            self._call_ends_due += not self.sends_calls_immediately
            return is_waiting(calls)
        if is_waiting(calls) and _are_words(event):
            self.is_speaking, self._has_said_all = False, True
        return self._has_said_all

    def _begin(self) -> None:
        self._is_answer_due = self._has_said_all = False
        self.is_speaking = True

    def _completed(self, event: Event, calls: Calls) -> bool:
        was_speaking, self.is_speaking = self.is_speaking, False
        was_interrupted, self._is_interrupted = self._is_interrupted, False
        had_said_all, self._has_said_all = self._has_said_all, False
        if self._call_ends_due:
            self._call_ends_due -= 1
            return False
        if was_interrupted and self._is_answer_due and (self._has_tool_result or self._interrupts):
            return False  # it ends what was cut short, not the answer to what it was sent
        if had_said_all and self._is_answer_due:
            return False  # the turn that it belongs to was over before
        # A model may answer with nothing.
        self._is_answer_due = self._is_answer_due and was_speaking
        more = event.interaction_status
        return more is not types.InteractionStatus.IN_PROGRESS and not calls.running()


def _is_beside_text(part: types.Part) -> bool:
    ran = part.executable_code or part.code_execution_result
    return bool(ran or part.inline_data or part.file_data)


def _are_words(event: Event) -> bool:
    return model_speech(event) is not None or any(part.text for part in parts_of(event))


def is_waiting(calls: Calls) -> bool:
    """Return whether nothing goes on before a person or the browser answers."""
    return bool(calls.open()) and not calls.running()
