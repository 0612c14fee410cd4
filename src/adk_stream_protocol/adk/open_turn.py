"""OpenTurn: what a turn reads from and writes to the ADK session and the approval records."""

from collections.abc import Callable
from functools import partial
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.adk.workflow import BaseNode
from google.genai import types

from adk_stream_protocol.adk.chat_calls import ChatCalls, chat_of
from adk_stream_protocol.adk.client_tool import client_tool_of
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import BROWSER, ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.approvals.response import overlay, response_of
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.answers import Decision, Plan, match_answers
from adk_stream_protocol.convert.calls import Call, Calls, current_turn
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.events import (
    add_notes,
    ends_with_user,
    is_placeholder,
    texts_of,
    with_notes,
)
from adk_stream_protocol.convert.history.ui_messages import message_prefix
from adk_stream_protocol.errors import Busy, Conflict, UnknownId
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.telemetry.calls import browser_call_ended


class OpenTurn:
    """The events and calls since the last user message, as they were read for a new turn."""

    def __init__(
        self,
        sessions: TurnSessions,
        session: Session,
        book: ApprovalBook,
        in_hand: ChatCalls,
        *,
        is_whole: bool = True,
    ) -> None:
        self._sessions = sessions
        self.session = session
        """The session as it was read."""
        self._is_whole = is_whole
        self._book = book
        self._in_hand = in_hand
        self.chat_id = chat_of(session)
        self.calls = Calls.of(self.turn_events())
        self._records: dict[str, ApprovalRecord] = {}
        self._unstored: list[Call] = []
        """Calls whose record is settled but whose session has no response yet."""

    def turn_events(self) -> list[Event]:
        """Return the events since the last message the user wrote."""
        return current_turn(self.session.events)

    def held_text(self, plan: Plan) -> list[str]:
        """Return what the model said in this turn before the answers lead any further."""
        return [text for event in self._events_before(plan) for text in texts_of(event)]

    def _events_before(self, plan: Plan) -> list[Event]:
        events = self.turn_events()
        answered = self.answered_events(plan.repeated) if plan.is_replay else []
        return events[: len(events) - len(answered)]

    def answered_events(self, calls: list[Call]) -> list[Event]:
        """Return the stored events since the first answer to one of these calls."""
        ids = {any_id for call in calls for any_id in (call.id, call.approval_id)}
        events = self.turn_events()
        for index, event in enumerate(events):
            answers = {answer.id or "" for answer in event.get_function_responses()} & ids
            if any(not is_placeholder(event, answer) for answer in answers):
                return events[index:]
        return []

    def message_prefix(self, style: ApprovalStyleName, plan: Plan) -> Callable[[], list[AnyChunk]]:
        """Return a maker of what the message of this turn held before the answers."""
        return partial(message_prefix, self._events_before(plan), style)

    def calls_before(self, calls: list[Call]) -> Calls:
        """Return the calls of this turn as they were before these were answered."""
        answered = self.answered_events(calls)
        events = self.turn_events()
        before = Calls.of(events[: len(events) - len(answered)])
        for call_id, call in before.by_id.items():
            call.decision = self.calls.by_id[call_id].decision
        return before

    async def read_records(self) -> None:
        """Let the records say where the gated calls of this turn stand."""
        gated = [call.id for call in self.calls.by_id.values() if call.approval_id]
        self._records = await self._book.of_calls(self.chat_id, gated)
        for call_id, record in self._records.items():
            call = self.calls.by_id[call_id]
            was_stored = call.response is not None
            overlay(call, record)
            if call.response is not None and not was_stored:
                self._unstored.append(call)

    @property
    def is_stored_elsewhere(self) -> bool:
        """Return whether another process has a result and is about to store its event."""
        return any(
            self._book.is_finished_elsewhere(record)
            for call_id, record in self._records.items()
            if self.calls.by_id[call_id].is_unfinished
        )

    async def all_calls(self) -> Calls:
        """Read every call of the conversation, also of turns that are over."""
        if self._is_whole:
            return Calls.of(self.session.events)
        found = await self._sessions.inner.get_session(
            app_name=self.chat_id.app, user_id=self.chat_id.user, session_id=self.chat_id.chat
        )
        return Calls.of(found.events if found else ())

    def hand_over(self) -> None:
        """Let the next run use the session as it was read here."""
        self._sessions.hand_over(self.session)

    async def cancel_open(self) -> list[Call]:
        """Close what is open, as the user moved on, and what a crash left without a result."""
        await self._store_settled()
        left = [call for call in self.calls.by_id.values() if call.is_open or call.is_unfinished]
        for call in left:
            await self._close(call, await self._end_of(call))
        return left

    async def close_calls(self, call_ids: set[str], outcome: dict[str, Any]) -> list[Call]:
        """Close open calls that nobody needs to answer any more."""
        closed = [call for call in self.calls.open() if call.id in call_ids]
        for call in closed:
            is_withdrawn = tool_responses.outcome_code(outcome) == "withdrawn"
            await self._end_of(call, is_withdrawn=is_withdrawn)
            await self._close(call, outcome)
        return closed

    async def close_unfinished(self, call_id: str) -> Call | None:
        """Close a decided call that nothing came of, with what its record says."""
        call = self.calls.by_id.get(call_id)
        if call is None or not call.is_unfinished:
            return None
        await self._close(call, await self._end_of(call))
        return call

    async def _end_of(self, call: Call, *, is_withdrawn: bool = False) -> dict[str, Any]:
        record = self._records.get(call.id)
        if record is None:
            return tool_responses.cancelled()
        runs_here = self._in_hand.is_running(record.id)
        if is_withdrawn:
            record = await self._book.withdraw(record, runs_here=runs_here)
        else:
            record = await self._book.cancel(record, "the user went on", runs_here=runs_here)
        if call.browser:
            if record.state is State.EXECUTING:
                await self._book.lose(record)
            return tool_responses.cancelled()
        if record.state is State.EXECUTING:
            raise Busy("A tool in this chat is still running.")
        return response_of(record) or tool_responses.cancelled()

    async def expire(self, client_tool_ttl: float) -> None:
        """Close the calls whose deadline has passed."""
        now = self._book.clock.now()
        await self._store_settled()
        for call in self.calls.open():
            record = self._records.get(call.id)
            if call.waits_for_approval and record:
                record = self._records[call.id] = await self._book.expire(record)
                overdue = record.state is State.EXPIRED
            else:
                overdue = now > call.asked_at + (call.ttl or client_tool_ttl)
                if overdue and record and record.state is State.EXECUTING:
                    await self._book.lose(record)
            if overdue:
                await self._close(call, tool_responses.expired())

    async def _store_settled(self) -> None:
        """Store the responses of calls that were ended outside of their chat."""
        while self._unstored:
            call = self._unstored.pop()
            await self._close(call, call.response or tool_responses.cancelled())

    async def _close(self, call: Call, response: dict[str, Any]) -> None:
        """Store the one response of a call that will not run."""
        content = tool_responses.user_content([tool_responses.response_part(call, response)])
        await self._append(call, content, {})
        browser_call_ended(self.chat_id.chat, call, response)
        call.response = response

    async def plan(self, answers: tuple[Answer, ...], agent: BaseNode) -> Plan:
        """Plan what the answers lead to, or raise why they are refused. Nothing changes yet."""
        browser_calls = [call for call in self.calls.open() if call.browser]
        tools = {call.id: await client_tool_of(call, agent) for call in browser_calls}

        def check(call: Call, value: Any) -> str | None:
            tool = tools.get(call.id)
            return tool.check_output(value) if tool else "the tool is no longer there"

        try:
            return match_answers(self.calls, answers, check)
        except UnknownId:
            # Of an earlier turn, perhaps: then the id is known, and the answer is too late.
            match_answers(await self.all_calls(), answers, check)
            raise Conflict("This call is no longer open; the answer has no effect.") from None

    async def commit(
        self, plan: Plan, who: Principal, *, live: bool = False, is_ours: bool = False
    ) -> None:
        """Write the decisions into their records. What returns from here survives anything.

        A live run finishes its decided calls itself. `is_ours`: no other worker runs the chat.
        """
        for decision in plan.decisions:
            record = self._record(decision.call)
            self._book.check(record, who)
            await self._book.check_shown(record, who, decision.shown)
        for decision in plan.decisions:
            record = self._record(decision.call)
            decided = await self._book.decide(record, who, decision.approved, decision.reason)
            self._keep_for_start(decision.call, decided)
            decision.call.decision = decision.approved
        for call in () if live else plan.unfinished:
            held = await self._book.hold(self._record(call), is_ours=is_ours)
            self._keep_for_start(call, held)
        for call in plan.may_run_in_browser:
            await self._start_in_browser(call)
        for call, response in plan.results:
            await self._finish_in_browser(call, response)

    def _keep_for_start(self, call: Call, record: ApprovalRecord) -> None:
        self._records[call.id] = record
        if not call.browser:
            self._in_hand.hold(record)

    def _record(self, call: Call) -> ApprovalRecord:
        record = self._records.get(call.id)
        if record is None:
            raise Conflict("There is no record of this request; it cannot be answered.")
        return record

    async def _start_in_browser(self, call: Call) -> None:
        record = self._records.get(call.id)
        if record and record.state is State.APPROVED:
            started = await self._book.claim(record, call.args, BROWSER)
            self._records[call.id] = started or record

    async def _finish_in_browser(self, call: Call, response: dict[str, Any]) -> None:
        await self._start_in_browser(call)
        browser_call_ended(self.chat_id.chat, call, response)
        record = self._records.get(call.id)
        if record and record.state is State.EXECUTING:
            await self._book.finish(record, response, failed="error" in response)

    async def keep(self, plan: Plan) -> types.Content | None:
        """Store what a plan brings. Return the message that ADK is to be run with, if any."""
        await self._keep_early(plan)
        decided = list(plan.decisions)
        decided += [Decision(call, call.decision is True, None) for call in plan.unfinished]
        decided = [decision for decision in decided if not decision.call.browser]
        if any(not decision.call.has_dialog for decision in decided):
            await self._open_dialogs()
        confirmations = [
            tool_responses.decision_part(decision.call, decision.approved, decision.reason)
            for decision in decided
        ]
        answers = self.calls.in_call_order({call.id: answer for call, answer in plan.results})
        results = [
            tool_responses.response_part(self.calls.by_id[call_id], answer)
            for call_id, answer in answers.items()
        ]
        if confirmations and results:
            # In one message with a confirmation ADK loses the result for good (google-adk 2.13).
            await self._append(plan.results[0][0], tool_responses.user_content(results), {})
            results = []
        parts = confirmations or results
        return tool_responses.user_content(parts) if parts else None

    async def keep_unfinished(self, event: Event, text: str) -> None:
        """Store what the model had said when its turn was stopped."""
        said = types.Content(role="model", parts=[types.Part(text=text)])
        unfinished = Event(
            author=event.author,
            invocation_id=event.invocation_id,
            branch=event.branch,
            content=said,
            interrupted=True,
        )
        await self._sessions.append_event(self.session, unfinished)

    async def _append(
        self, call: Call, content: types.Content | None, note: dict[str, Any]
    ) -> None:
        # A response to a browser call comes from the user; all else ADK expects of the agent.
        event = Event(
            author="user" if content and call.browser else call.author,
            invocation_id=call.invocation_id,
            content=content,
            custom_metadata=with_notes(None, {"calls": {call.id: note}}) if note else None,
        )
        await self._sessions.append_event(self.session, event)

    async def keep_results(self, plan: Plan) -> types.Content | None:
        """Store results in a live run and return them for the model. Decisions wake the gate."""
        await self._keep_early(plan)
        if not plan.results:
            return None
        parts = [tool_responses.response_part(call, response) for call, response in plan.results]
        content = tool_responses.user_content(parts)
        await self._append(plan.results[0][0], content, {})
        return content

    async def _keep_early(self, plan: Plan) -> None:
        for call, value in plan.early_results:
            await self._append(call, None, {"result": value})

    async def _open_dialogs(self) -> None:
        """Ask on behalf of ADK about calls that were made in a live run and outlived it.

        About all of them: ADK goes on to the model as soon as none that it knows of is open.
        """
        gated = [call for call in self.calls.by_id.values() if call.approval_id]
        left = [
            call
            for call in gated
            if not call.browser and not call.has_dialog and call.response is None
        ]
        for event in tool_responses.dialog(*left):
            await self._sessions.append_event(self.session, event)
        for call in left:
            call.has_dialog = True

    async def close_gap(self, author: str) -> None:
        """End a history that ends with the user: a live model would answer it on connecting."""
        if ends_with_user(self.session.events):
            event = Event(
                author=author, content=tool_responses.pause(), invocation_id=Event.new_id()
            )
            add_notes(event, {"filler": True})
            await self._sessions.append_event(self.session, event)
