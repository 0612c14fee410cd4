"""Reads ADK's events: every field of theirs that could be called otherwise tomorrow.

What ADK's events do not say (the browser runs this call, a person approved it, its result came
early) stands in `custom_metadata` under NOTES, written by us and stored with the event.
"""

from typing import Any

from google.adk.events.event import Event
from google.genai import types

NOTES = "adk_stream"


def parts_of(event: Event) -> list[types.Part]:
    """Return the parts of an event, none if it has no content."""
    return (event.content and event.content.parts) or []


def model_speech(event: Event) -> types.Transcription | None:
    """Return what the model said aloud, as it was written down."""
    return event.output_transcription


def user_speech(event: Event) -> types.Transcription | None:
    """Return what the user said aloud, as it was written down."""
    return event.input_transcription


def is_of_live_run(event: Event) -> bool:
    """Return whether an event alone tells that it was made in a live run; not every one does."""
    speech = user_speech(event) or model_speech(event)
    return event.turn_complete is not None or event.live_session_id is not None or bool(speech)


def texts_of(event: Event) -> list[str]:
    """Return what the model said in an event, in writing or aloud."""
    if event.author == "user":
        return []
    if speech := model_speech(event):
        return [speech.text] if speech.text and speech.finished else []
    return [part.text for part in parts_of(event) if part.text and not part.thought]


def ends_with_user(events: list[Event]) -> bool:
    """Return whether the last thing said or done in a conversation is the user's part."""
    for event in reversed(events):
        if model_speech(event):
            return False
        if event.content and event.content.parts:
            # What was said in an earlier live run ADK quotes as the user's (google-adk 2.13).
            return event.content.role == "user" or bool(event.live_session_id)
        if user_speech(event):
            return True
    return False


def is_user_message(event: Event) -> bool:
    """Return whether the user wrote this, rather than answered a call."""
    is_new = any(part.function_response is None for part in parts_of(event))
    return event.author == "user" and is_new


def last_message_at(events: list[Event]) -> float:
    """Return when the user last wrote or said something."""
    for event in reversed(events):
        if is_user_message(event) or user_speech(event):
            return event.timestamp
    return 0.0


def has_waiting_calls(event: Event) -> bool:
    """Return whether calls of this event wait for somebody outside of the server."""
    return bool(event.long_running_tool_ids)


def is_dialog(event: Event, call_id: str) -> bool:
    """Return whether ADK itself makes this call, to ask a person; a model can only imitate it."""
    return call_id in (event.long_running_tool_ids or ())


def is_placeholder(event: Event, call_id: str) -> bool:
    """Return whether a response is ADK's stand-in for a call that awaits approval.

    It is no result of the tool.
    """
    return call_id in event.actions.requested_tool_confirmations


def note(event: Event, name: str) -> Any:
    """Return a note of ours on an event as a whole, or None."""
    return (event.custom_metadata or {}).get(NOTES, {}).get(name)


def notes_of(event: Event) -> dict[str, dict[str, Any]]:
    """Return our notes on the calls of an event, by call id."""
    return note(event, "calls") or {} if event.custom_metadata else {}


def with_notes(metadata: dict[str, Any] | None, notes: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of an event with more notes of ours in it."""
    metadata = metadata or {}
    return {**metadata, NOTES: {**metadata.get(NOTES, {}), **notes}}


def add_notes(event: Event, notes: dict[str, Any]) -> None:
    """Write more notes on an event."""
    event.custom_metadata = with_notes(event.custom_metadata, notes)
