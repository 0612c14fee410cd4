"""ChatArchive: the stored chats of every principal, read, listed and deleted."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from google.adk.runners import Runner
from google.adk.sessions.session import Session

from adk_stream_protocol.adk.chat_calls import chat_of
from adk_stream_protocol.adk.session_reader import TITLE
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import BROWSER, ApprovalBook
from adk_stream_protocol.approvals.record import UNANSWERED, ApprovalRecord, Principal, State
from adk_stream_protocol.approvals.response import response_of
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.failures import needing_the_store
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Call, Calls
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.history.exchanges import exchanges, standing_events, title_of
from adk_stream_protocol.convert.history.ui_messages import Standing, ui_messages
from adk_stream_protocol.errors import Busy, UnknownId

MAX_LISTED = 200
MAX_TITLES = 2_000
MAX_TITLES_READ = 10
"""How many chats without a kept title one listing reads for it."""
MAX_IDS_PER_QUERY = 1_000
_STEADY_READS = 5


class Activity(Protocol):
    """The chats that are active at the moment."""

    async def message_in_the_making(self, user_id: str, chat_id: str) -> str | None:
        """Name the message that a running turn makes, by its stored id; None if nothing goes on.

        Empty if something does, but makes no message yet.
        """
        ...

    async def end(self, user_id: str, chat_id: str) -> None:
        """End a running turn, and a live run."""
        ...

    def is_running(self, record: ApprovalRecord) -> bool:
        """Return whether this worker runs the call of a record now."""
        ...


@dataclass(frozen=True, slots=True)
class ChatSummary:
    """A chat in a list of chats."""

    id: str
    title: str
    """The beginning of the first user message."""
    updated: str
    """ISO 8601, UTC."""


class ChatArchive:
    """The stored chats of one agent. A chat is named by its principal and its id."""

    def __init__(
        self,
        runner: Runner,
        book: ApprovalBook,
        activity: Activity,
        *,
        client_tool_ttl: float = 600,
    ) -> None:
        assert isinstance(runner.session_service, TurnSessions)
        # Not through the turns' own service: a session handed over there waits for a run.
        self._sessions = runner.session_service.inner
        self._app_name = runner.app_name
        self._book = book
        self._activity = activity
        self._client_tool_ttl = client_tool_ttl
        self._titles: dict[tuple[str, str], str] = {}

    async def messages(
        self, who: Principal, chat_id: str, approvals: ApprovalStyleName = "native"
    ) -> list[dict[str, Any]]:
        """Return a chat as UIMessages, without the message that a turn is still making."""
        with needing_the_store():
            unfinished, session = await self._read_steadily(who, chat_id)
            if session is None:
                if unfinished is None:
                    raise UnknownId("There is no such chat.")
                return []
            calls = Calls.of(standing_events(session.events))
            standings = await self._standings(chat_of(session), calls, idle=unfinished is None)
        # A long history would hold up every stream of this process.
        return await asyncio.to_thread(
            ui_messages, session.events, standings, approvals=approvals, unfinished=unfinished
        )

    async def _read_steadily(
        self, who: Principal, chat_id: str
    ) -> tuple[str | None, Session | None]:
        """Read a session, and the message that was in the making before and after that."""
        unfinished = await self._activity.message_in_the_making(who.id, chat_id)
        session = await self._read(who, chat_id)
        for _ in range(_STEADY_READS):
            now = await self._activity.message_in_the_making(who.id, chat_id)
            if now == unfinished:
                break
            unfinished, session = now, await self._read(who, chat_id)
        return unfinished, session

    async def chats(self, who: Principal) -> list[ChatSummary]:
        """List the newest chats of a principal, newest first."""
        with needing_the_store():
            found = await self._sessions.list_sessions(app_name=self._app_name, user_id=who.id)
            newest = sorted(
                found.sessions, key=lambda session: session.last_update_time, reverse=True
            )
            newest = newest[:MAX_LISTED]
            await self._read_titles(who, newest)
        return [
            ChatSummary(
                id=session.id,
                title=self._title(session),
                updated=_iso(session.last_update_time),
            )
            for session in newest
        ]

    def _title(self, session: Session) -> str:
        kept = session.state.get(TITLE)
        return str(kept or self._titles.get((session.user_id, session.id), ""))

    async def _read_titles(self, who: Principal, sessions: list[Session]) -> None:
        """Read titles of chats that others made, or that began with speech: a few at a time."""
        untitled = [session for session in sessions if not self._title(session)]
        for session in untitled[:MAX_TITLES_READ]:
            whole = await self._read(who, session.id)
            found = exchanges(whole.events) if whole else []
            first = next((exchange for exchange in found if exchange.said), None)
            if first and (title := title_of(first.content)):
                if len(self._titles) >= MAX_TITLES:
                    del self._titles[next(iter(self._titles))]
                self._titles[(who.id, session.id)] = title

    async def delete(self, who: Principal, chat_id: str) -> None:
        """Stop what runs in a chat, cancel what is pending, and forget the chat."""
        with needing_the_store():
            await self._activity.end(who.id, chat_id)
            session = await self._read(who, chat_id)
            if session is None:
                raise UnknownId("There is no such chat.")
            await self._cancel(session)
            await self._sessions.delete_session(
                app_name=self._app_name, user_id=who.id, session_id=chat_id
            )
        self._titles.pop((who.id, chat_id), None)

    async def _cancel(self, session: Session) -> None:
        records = await self._records(chat_of(session), Calls.of(session.events))
        started = [record for record in records.values() if record.state is State.EXECUTING]
        if any(self._runs_somewhere(record) for record in started):
            raise Busy("A tool in this chat is still running.")
        for record in records.values():
            if record.state is State.EXECUTING:
                await self._book.lose(record)
            else:
                await self._book.cancel(record, "the chat was deleted")

    def _runs_somewhere(self, record: ApprovalRecord) -> bool:
        if record.holder == BROWSER:
            return False
        return not self._book.is_over(record, runs_here=self._activity.is_running(record))

    async def _read(self, who: Principal, chat_id: str) -> Session | None:
        return await self._sessions.get_session(
            app_name=self._app_name, user_id=who.id, session_id=chat_id
        )

    async def _records(self, chat: ChatId, calls: Calls) -> dict[str, ApprovalRecord]:
        ids = [call.id for call in calls.by_id.values() if call.approval_id]
        records: dict[str, ApprovalRecord] = {}
        for start in range(0, len(ids), MAX_IDS_PER_QUERY):
            some = ids[start : start + MAX_IDS_PER_QUERY]
            records |= await self._book.of_calls(chat, some)
        return records

    async def _standings(self, chat: ChatId, calls: Calls, *, idle: bool) -> dict[str, Standing]:
        records = await self._records(chat, calls)
        for call_id, record in records.items():
            records[call_id] = await self._book.expire(record)
        return {
            call.id: self._standing(call, records.get(call.id), idle)
            for call in calls.by_id.values()
            if call.approval_id or call.response is None
        }

    def _standing(self, call: Call, record: ApprovalRecord | None, idle: bool) -> Standing:
        if record and record.state is State.PENDING:
            return Standing(waits_for=record.steps[record.step] if record.steps else None)
        if record and record.state in UNANSWERED:
            return Standing(outcome=response_of(record))
        if record:
            decision = record.state is not State.DENIED
            lapsed = response_of(record) if record.state is State.LAPSED else None
            since = record.decided_at or call.asked_at
            return Standing(decision, record.reason, lapsed or self._overdue(call, since))
        if call.browser or call.approval_id:
            return Standing(outcome=self._overdue(call, call.asked_at))
        return Standing(outcome=tool_responses.cut_off() if idle else None)

    def _overdue(self, call: Call, since: float) -> dict[str, Any] | None:
        until = since + (call.ttl or self._client_tool_ttl)
        is_over = call.browser and self._book.clock.now() > until
        return tool_responses.expired() if is_over else None


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
