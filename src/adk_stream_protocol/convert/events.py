"""Small questions to stored events."""

from google.adk.events.event import Event


def texts_of(event: Event) -> list[str]:
    """What the model said in an event, in writing or aloud."""
    if event.author == "user":
        return []
    if speech := event.output_transcription:
        return [speech.text] if speech.text and speech.finished else []
    parts = (event.content and event.content.parts) or []
    return [part.text for part in parts if part.text and not part.thought]


def ends_with_user(events: list[Event]) -> bool:
    """Whether the last thing said or done in a conversation is the user's part."""
    for event in reversed(events):
        if event.output_transcription:
            return False
        if event.content and event.content.parts:
            # What was said in an earlier live run ADK quotes as the user's (google-adk 2.13).
            return event.content.role == "user" or bool(event.live_session_id)
        if event.input_transcription:
            return True
    return False
