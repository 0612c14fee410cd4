"""rewind: takes a chat back, for an answer made again or a message written anew."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.runners import Runner
from google.adk.sessions.session import Session
from google.adk.sessions.state import State
from google.genai import types

from adk_stream_protocol.adk.session_reader import TITLE
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.clock import steady_clock
from adk_stream_protocol.convert.events import note, with_notes
from adk_stream_protocol.convert.history.exchanges import (
    MESSAGE_ID,
    USER_MESSAGE_ID,
    Exchange,
    exchanges,
    standing_events,
    title_of,
)

_NOT_OF_SESSION = (State.APP_PREFIX, State.USER_PREFIX, State.TEMP_PREFIX)
_RESTORED = "restored"


async def rewind(
    runner: Runner, session: Session, ids: Sequence[str], new: types.Content | None
) -> types.Content | None:
    """Rewind a chat to before a user message. Return the content that is to be said there.

    The target is the first id that matches a user message or its answer; without ids, the last
    user message. `new` replaces its content; None repeats it. Return None, and change nothing, if
    there is no such message. Call this inside a turn of the chat, with the whole session, after
    everything open is closed; pass the session to the run afterwards.
    """
    assert isinstance(runner.session_service, TurnSessions)
    found = exchanges(session.events)
    index = _index(found, ids)
    if index is None:
        return None
    target = found[index]
    content = new or target.content
    again = _dropped_before(session, found[:index], target.said[0].invocation_id)
    delta = _made_with(session)
    if not any(exchange.said for exchange in found[:index]):
        delta[TITLE] = title_of(content)
    runner.session_service.hand_over(session)
    await runner.rewind_async(
        user_id=session.user_id,
        session_id=session.id,
        rewind_before_invocation_id=target.said[0].invocation_id,
    )
    restored = Event(
        author="user",
        actions=EventActions(state_delta=delta),
        custom_metadata=with_notes(None, {_RESTORED: True}),
    )
    for event in [*([restored] if delta else []), *again]:
        event.timestamp = steady_clock.now()  # databases order by it
        await runner.session_service.append_event(session, event)
    return content


def _index(found: list[Exchange], ids: Sequence[str]) -> int | None:
    known = {
        name: index
        for index, exchange in enumerate(found)
        if exchange.said
        for name in ("", exchange.user_message_id, exchange.message_id)
    }
    return next((known[name] for name in ids or ("",) if name in known), None)


def _dropped_before(session: Session, kept: list[Exchange], invocation_id: str) -> list[Event]:
    """Copy what a rewind takes away too much: ADK takes back an invocation as a whole, and a
    live run is one for all its turns (google-adk 2.13)."""
    standing = standing_events(session.events)
    first = next(
        index for index, event in enumerate(standing) if event.invocation_id == invocation_id
    )
    lost = {id(event) for event in standing[first:]}
    copy_id = f"e-{uuid4()}"
    return [
        _copy(event, exchange, copy_id)
        for exchange in kept
        for event in exchange.all_events
        if id(event) in lost
    ]


def _copy(event: Event, exchange: Exchange, invocation_id: str) -> Event:
    names = {MESSAGE_ID: exchange.message_id, USER_MESSAGE_ID: exchange.user_message_id}
    return event.model_copy(
        update={
            "id": Event.new_id(),
            "invocation_id": invocation_id,
            "custom_metadata": with_notes(event.custom_metadata, names),
            "actions": event.actions.model_copy(update={"artifact_delta": {}}),
        }
    )


def _made_with(session: Session) -> dict[str, Any]:
    """Return the state that a session was created with. A rewind forgets it: no event has it."""
    changed = {
        key
        for event in session.events
        if not event.actions.rewind_before_invocation_id and not note(event, _RESTORED)
        for key in event.actions.state_delta
    }
    return {
        key: value
        for key, value in session.state.items()
        if key not in changed and not key.startswith(_NOT_OF_SESSION)
    }
