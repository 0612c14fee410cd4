"""The turn of a stored conversation that can still be open, as it was read."""

from collections.abc import Callable
from functools import partial

from google.adk.events.event import Event
from google.adk.sessions.session import Session

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call, Calls, current_turn, is_placeholder
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.events import texts_of
from adk_stream_protocol.convert.history.ui_messages import earlier_chunks
from adk_stream_protocol.protocol.chunks import AnyChunk


class StoredTurn:
    """What happened in a chat since the last message of the user's. It changes nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.calls = Calls.of(self.turn_events())

    @property
    def session(self) -> Session:
        return self._session

    @property
    def place(self) -> ChatId:
        return ChatId(self._session.app_name, self._session.user_id, self._session.id)

    def turn_events(self) -> list[Event]:
        """The events since the last message the user wrote."""
        return current_turn(self._session.events)

    def held_text(self, plan: Plan) -> list[str]:
        """What the model said in this turn before the answers lead any further."""
        return [text for event in self._events_before(plan) for text in texts_of(event)]

    def _events_before(self, plan: Plan) -> list[Event]:
        events = self.turn_events()
        answered = self.answered_events(plan.repeats) if plan.is_replay else []
        return events[: len(events) - len(answered)]

    def answered_events(self, calls: list[Call]) -> list[Event]:
        """The stored events from the first answer to one of these calls on."""
        ids = {any_id for call in calls for any_id in (call.id, call.approval_id)}
        events = self.turn_events()
        for index, event in enumerate(events):
            answers = {answer.id or "" for answer in event.get_function_responses()} & ids
            if any(not is_placeholder(event, answer) for answer in answers):
                return events[index:]
        return []

    def earlier(self, style: ApprovalStyleName, plan: Plan) -> Callable[[], list[AnyChunk]]:
        """What the message of this turn holds before the answers lead any further."""
        return partial(earlier_chunks, self._events_before(plan), style)

    def calls_before(self, calls: list[Call]) -> Calls:
        """The calls of this turn as they were before these were answered."""
        answered = self.answered_events(calls)
        events = self.turn_events()
        before = Calls.of(events[: len(events) - len(answered)])
        for call_id, call in before.by_id.items():
            call.decision = self.calls.by_id[call_id].decision
        return before
