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
from adk_stream_protocol.convert.encode.steps import Response
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
        """The chunks of one event."""
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

    def _current(self, event: Event, out: list[AnyChunk]) -> Response:
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
        """What the user said, as far as it is known; each chunk replaces the one before."""
        said = speech.text or ""
        text = said if speech.finished else self._heard + said
        spoken = self._speech_id = self._speech_id or event.id
        self._heard = "" if speech.finished else text
        if speech.finished:
            self._speech_id = ""
        data = {"id": spoken, "text": text}
        return [Data(type="data-user-message", id=spoken, data=data)] if text else []

    def _others(self, event: Event, parts: list[types.Part], out: list[AnyChunk]) -> None:
        """All parts of an event but its text."""
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
    """Whether the turn is over, seen from the events of the run so far."""

    def __init__(self) -> None:
        self.calls_at_once = True
        """False for models that end their own turn after a call, and take another for the rest."""
        self.speaks = False
        """The model has begun to say something that it has not ended."""
        self._is_due = False
        """The model was told something that it has not begun to answer."""
        self._ends_of_calls = 0
        self._is_cut = self._has_result = self._cuts_short = False
        self._is_said = False
        """It has said all, but the end of its own turn is still to come, or waits for a call."""

    @property
    def owes(self) -> bool:
        """Whether more is to come from the model by itself."""
        return self.speaks or self._is_due

    def told(self) -> None:
        """The model was sent a message or a result."""
        self._is_due, self._has_result, self._cuts_short = True, False, self.speaks

    def left(self) -> None:
        """Nobody waits for what the model still says."""
        self._is_due = self.speaks = False

    def connected(self, *, calls_at_once: bool) -> None:
        """The link to the model is new; what the old one still owed will not come."""
        self.calls_at_once = calls_at_once
        self._ends_of_calls = 0

    def is_over_after(self, event: Event, calls: Calls) -> bool:
        """Whether this event ends the turn whose calls these are."""
        if event.partial:
            if user_speech(event) is None:
                self._begin()
            return False
        if event.turn_complete:
            return self._completed(event, calls)
        if event.interrupted:  # what was cut short is complete with an event of its own
            self._is_cut = True
            return False
        if event.content is None and model_speech(event) is None:
            return False
        if event.get_function_responses():
            self._is_due = self._has_result = True
            return is_waiting(calls)
        self._begin()
        if event.get_function_calls():
            self.speaks = False
            self._ends_of_calls += not self.calls_at_once
            return is_waiting(calls)
        if is_waiting(calls) and _are_words(event):
            self.speaks, self._is_said = False, True
        return self._is_said

    def _begin(self) -> None:
        self._is_due = self._is_said = False
        self.speaks = True

    def _completed(self, event: Event, calls: Calls) -> bool:
        spoke, self.speaks = self.speaks, False
        was_cut, self._is_cut = self._is_cut, False
        was_said, self._is_said = self._is_said, False
        if self._ends_of_calls:
            self._ends_of_calls -= 1
            return False
        if was_cut and self._is_due and (self._has_result or self._cuts_short):
            return False  # it ends what was cut short, not the answer to what it was told
        if was_said and self._is_due:
            return False  # the turn that it belongs to was over before
        self._is_due = self._is_due and spoke  # a model may answer with nothing
        more = event.interaction_status
        return more is not types.InteractionStatus.IN_PROGRESS and not calls.running()


def _is_beside_text(part: types.Part) -> bool:
    ran = part.executable_code or part.code_execution_result
    return bool(ran or part.inline_data or part.file_data)


def _are_words(event: Event) -> bool:
    return model_speech(event) is not None or any(part.text for part in parts_of(event))


def is_waiting(calls: Calls) -> bool:
    """Whether nothing goes on before a person or the browser answers."""
    return bool(calls.open()) and not calls.running()
