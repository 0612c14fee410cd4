"""What a turn reads from and writes to the ADK session besides what ADK itself does there."""

import time
from collections.abc import Iterable
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session
from google.adk.workflow import BaseNode
from google.genai import types

from adk_stream_protocol.convert import outcomes
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import NOTES, Call, Calls, current_turn
from adk_stream_protocol.runtime.client_tool import ClientTool, client_tools
from adk_stream_protocol.runtime.sessions import TurnSessions


class History:
    """The stored conversation of one principal and chat, while a turn uses it."""

    def __init__(self, sessions: TurnSessions, session: Session) -> None:
        self._sessions = sessions
        self._session = session
        self.calls = Calls.of(self.turn_events())

    @classmethod
    async def read(
        cls,
        sessions: TurnSessions,
        *,
        app_name: str,
        user_id: str,
        chat_id: str,
        config: GetSessionConfig | None,
    ) -> "History | None":
        """The conversation, or None where there is none."""
        session = await sessions.get_session(
            app_name=app_name, user_id=user_id, session_id=chat_id, config=config
        )
        return None if session is None else cls(sessions, session)

    @classmethod
    async def create(
        cls, sessions: TurnSessions, *, app_name: str, user_id: str, chat_id: str
    ) -> "History":
        """A new conversation."""
        session = await sessions.create_session(
            app_name=app_name, user_id=user_id, session_id=chat_id
        )
        return cls(sessions, session)

    def turn_events(self) -> list[Event]:
        """The events since the last message the user wrote."""
        return current_turn(self._session.events)

    def all_calls(self) -> Calls:
        """Every call of the conversation, also of turns that are over."""
        return Calls.of(self._session.events)

    def held_text(self) -> list[str]:
        """What the model said in this turn so far."""
        return [
            part.text
            for event in self.turn_events()
            if event.author != "user" and event.content
            for part in event.content.parts or []
            if part.text and not part.thought
        ]

    def answered_events(self, calls: list[Call]) -> list[Event]:
        """The stored events from the first answer to one of these calls on."""
        ids = {any_id for call in calls for any_id in (call.id, call.approval_id)}
        events = self.turn_events()
        for index, event in enumerate(events):
            answers = event.get_function_responses() if event.author == "user" else []
            if any(answer.id in ids for answer in answers):
                return events[index:]
        return []

    def hand_over(self) -> None:
        """Let the next run use the session as it was read here."""
        self._sessions.hand_over(self._session)

    async def close_calls(self, calls: Iterable[Call], response: dict[str, Any]) -> None:
        """Give calls that will not run their one response."""
        for call in calls:
            content = outcomes.user_content([outcomes.response_part(call, response)])
            await self._append(call, content, {})
            call.response = response

    async def expire(self, approval_ttl: float, client_tool_ttl: float) -> None:
        """Close the calls whose deadline has passed."""
        now = time.time()
        overdue: list[Call] = []
        for call in self.calls.open():
            ttl = approval_ttl if call.waits_for_approval else call.ttl or client_tool_ttl
            if now > call.asked_at + ttl:
                overdue.append(call)
        await self.close_calls(overdue, outcomes.expired())

    async def keep(self, plan: Plan) -> types.Content | None:
        """Store what a plan brings; returns the message that ADK is to be run with, if any."""
        for decision in plan.decisions:
            decision.call.decision = decision.approved
            if decision.call.browser:
                await self._append(decision.call, None, {"approved": decision.approved})
        for call, value in plan.early:
            await self._append(call, None, {"result": value})
        confirmations = [
            outcomes.decision_part(decision.call, decision.approved, decision.reason)
            for decision in plan.decisions
            if not decision.call.browser
        ]
        results = [outcomes.response_part(call, response) for call, response in plan.results]
        if confirmations and results:
            # In one message with a confirmation ADK loses the result for good (google-adk 2.13).
            await self._append(plan.results[0][0], outcomes.user_content(results), {})
            results = []
        parts = confirmations or results
        return outcomes.user_content(parts) if parts else None

    async def _append(
        self, call: Call, content: types.Content | None, note: dict[str, Any]
    ) -> None:
        # A response to a browser call comes from the user; all else ADK expects of the agent.
        event = Event(
            author="user" if content and call.browser else call.author,
            invocation_id=call.invocation_id,
            content=content,
            custom_metadata={NOTES: {"calls": {call.id: note}}} if note else None,
        )
        await self._sessions.append_event(self._session, event)

    async def open_client_tools(self, root: BaseNode) -> dict[str, ClientTool]:
        """The tools behind the open browser calls, by call id."""
        found: dict[str, ClientTool] = {}
        for call in self.calls.open():
            tool = (await client_tools(root, call.author)).get(call.name) if call.browser else None
            if tool:
                found[call.id] = tool
        return found
