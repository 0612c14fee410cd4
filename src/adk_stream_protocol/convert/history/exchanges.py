"""A stored conversation as exchanges: a user message and all that came of it.

An exchange begins where the user wrote or spoke. ADK's invocations do not tell: a live run is one
invocation for all its turns, and an answer to a call goes on with an older one.
"""

from dataclasses import dataclass, field

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.events import (
    is_of_live_run,
    is_user_message,
    model_speech,
    note,
    parts_of,
    user_speech,
)

MESSAGE_ID = "messageId"
"""The note that says under which id an event was streamed."""
USER_MESSAGE_ID = "userMessageId"
"""The note that says which id the client gave to the message it sent."""
FILLER = "filler"
"""The note on what stands in the session for the model's sake only."""
MAX_TITLE = 80


@dataclass(slots=True)
class Exchange:
    """A user message, in one event or spoken in several, and the events that followed."""

    said: list[Event] = field(default_factory=list[Event])
    events: list[Event] = field(default_factory=list[Event])
    user_message_id: str = ""
    message_id: str = ""

    @property
    def content(self) -> types.Content:
        """What the user said, as ADK takes it."""
        first = self.said[0].content if self.said else None
        if first is not None:
            return first
        text = "".join(spoken(event) for event in self.said)
        return types.Content(role="user", parts=[types.Part(text=text)])

    @property
    def all_events(self) -> list[Event]:
        return [*self.said, *self.events]


def exchanges(events: list[Event]) -> list[Exchange]:
    """Split a stored conversation into exchanges, oldest first, their messages named."""
    found: list[Exchange] = []
    for event in standing_events(events):
        if note(event, FILLER):
            continue
        if spoken(event):
            _speak(found, event)
        elif is_user_message(event) and is_shown(event):
            found.append(Exchange(said=[event]))
        else:
            if not found:
                found.append(Exchange())
            found[-1].events.append(event)
    _name(found)
    return found


def standing_events(events: list[Event]) -> list[Event]:
    """Return the events that no rewind took back, as ADK itself counts them (google-adk 2.13)."""
    first: dict[str, int] = {}
    for index, event in enumerate(events):
        first.setdefault(event.invocation_id, index)
    kept: list[Event] = []
    index = len(events) - 1
    while index >= 0:
        event = events[index]
        if before := event.actions.rewind_before_invocation_id:
            index = min(index, first.get(before, index))
        else:
            kept.append(event)
        index -= 1
    kept.reverse()
    return kept


def whole_turns(events: list[Event]) -> list[Event]:
    """Return the end of a conversation from the first user message that is in it.

    Before that there is half a turn, which no model can read; and what was taken back to a point
    that is not there any more is left out, as ADK would not (google-adk 2.13).
    """
    start: int | None = None
    known: set[str] = set()
    for index, event in enumerate(events):
        before = event.actions.rewind_before_invocation_id
        if before and before not in known:
            start = None
        elif start is None and is_user_message(event):
            start, known = index, set()
        known.add(event.invocation_id)
    return [] if start is None else events[start:]


def live_invocations(events: list[Event]) -> set[str]:
    """Return the invocations that were live runs. Nothing else tells their events apart."""
    return {event.invocation_id for event in events if is_of_live_run(event)}


def spoken(event: Event) -> str:
    """Return what the user said aloud, once it is written down as a whole."""
    heard = user_speech(event)
    return (heard.text or "") if heard and not event.partial and event.content is None else ""


def is_shown(event: Event) -> bool:
    """Return whether a user message holds anything that a browser can show."""
    return any(part.text or _is_file(part) for part in parts_of(event))


def _is_file(part: types.Part) -> bool:
    data, address = part.inline_data, part.file_data
    return bool(data and data.data) or bool(address and (address.file_uri or "").startswith("http"))


def _speak(found: list[Exchange], event: Event) -> None:
    current = found[-1] if found else Exchange()
    if current.said and not current.events and spoken(current.said[-1]):
        current.said.append(event)
        return
    # ADK may write down what was said after the call that answers it. What came since the last
    # turn of the model ended is that answer.
    start = _last_turn(current)
    answer = current.events[start:]
    del current.events[start:]
    if found and not current.all_events:
        found.pop()
    found.append(Exchange(said=[event], events=answer))


def _last_turn(exchange: Exchange) -> int:
    """Return the index of the first event after the model's last completed turn."""
    events = exchange.events
    for index in range(len(events) - 1, -1, -1):
        if events[index].turn_complete or events[index].interrupted:
            return index + 1
    return len(events) if exchange.said else 0


def _name(found: list[Exchange]) -> None:
    taken: set[str] = set()
    for exchange in found:
        first = exchange.all_events[0]
        known = note(first, USER_MESSAGE_ID) if exchange.said else None
        exchange.user_message_id = first.id if known is None or known in taken else known
        streamed = (note(event, MESSAGE_ID) for event in exchange.all_events if _says(event))
        ids = (name for name in streamed if name and name not in taken)
        exchange.message_id = next(ids, None) or f"msg-{first.id}"
        taken |= {exchange.user_message_id, exchange.message_id}


def _says(event: Event) -> bool:
    """Return whether an event is part of a message; a live run has others, also between turns."""
    return bool(event.content or user_speech(event) or model_speech(event))


def title_of(content: types.Content) -> str:
    """Make the line that a list of chats shows for the message that began a chat."""
    words = " ".join(part.text for part in content.parts or [] if part.text).split()
    title = " ".join(words)
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1].rstrip()}…"
