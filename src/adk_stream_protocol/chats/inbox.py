"""Inbox: what waits for a person, and their decision, outside of the chat it belongs to."""

import logging

from google.adk.runners import Runner

from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.failures import needing_the_store
from adk_stream_protocol.convert.calls import Calls, current_turn
from adk_stream_protocol.errors import Conflict, StreamProtocolError, UnknownId
from adk_stream_protocol.failure_log import log_failure

logger = logging.getLogger(__name__)

MAX_SEEN = 4096


class Inbox:
    """The open requests of one agent.

    A record is made before its request is stored. Where a crash came between the two, nobody was
    asked and no call is there to run: such a record is closed instead of answered.
    """

    def __init__(self, runner: Runner, book: ApprovalBook, chats: Chats) -> None:
        assert isinstance(runner.session_service, TurnSessions)
        self._sessions = runner.session_service.inner
        self._app = runner.app_name
        self._book = book
        self._chats = chats
        self._seen: set[str] = set()
        """Requests of processes that are gone, found in their chats."""

    async def waiting(self, who: Principal) -> list[ApprovalRecord]:
        """List the requests that this person can decide."""
        found = await self._book.store.pending(self._app, who)
        standing = [await self._standing(record) for record in found]
        return [record for record in standing if record.state is State.PENDING]

    async def decide(
        self, who: Principal, approval_id: str, approved: bool, reason: str | None
    ) -> ApprovalRecord:
        """Commit a decision. The chat of the asker goes on when the last step is in."""
        record = await self._book.store.get(approval_id)
        if record is None or record.app != self._app or not _concerns(record, who):
            raise UnknownId("There is no such request.")
        # Said before: acknowledged again, and carried on with if a crash cut it off.
        if not record.was_decided(who, approved):
            record = await self._book.expire(record)
            self._book.check(record, who)
            if (await self._in_chat(record)).state is not State.PENDING:
                raise Conflict(
                    "The server crashed before anyone saw this request. Nothing was run."
                )
            record = await self._book.decide(record, who, approved, reason)
        if record.state is not State.PENDING:
            await self._go_on(record)
        return record

    async def _standing(self, record: ApprovalRecord) -> ApprovalRecord:
        record = await self._book.expire(record)
        if record.id in self._seen or not self._book.is_abandoned(record):
            return record
        return await self._in_chat(record)

    async def _in_chat(self, record: ApprovalRecord) -> ApprovalRecord:
        """Return the record, closed if its request never reached the chat."""
        if self._chats.waits_here(record) or await self._was_asked(record):
            if len(self._seen) < MAX_SEEN:
                self._seen.add(record.id)
            return record
        if self._is_being_asked(record):
            raise Conflict("This request is not ready yet. Please try again in a moment.")
        return await self._book.cancel(record, "the server crashed before anyone was asked")

    async def _was_asked(self, record: ApprovalRecord) -> bool:
        with needing_the_store():
            session = await self._sessions.get_session(
                app_name=record.app, user_id=record.principal, session_id=record.session
            )
        call = Calls.of(current_turn(session.events)).find(record.id) if session else None
        self._book.observer.recall([call] if call else [])
        return call is not None

    def _is_being_asked(self, record: ApprovalRecord) -> bool:
        if not self._book.is_mine(record):
            return not self._book.is_abandoned(record)
        chat = self._chats.get(record.principal, record.session)
        return chat is not None and chat.message_in_the_making is not None

    async def _go_on(self, record: ApprovalRecord) -> None:
        try:
            await self._chats.go_on(record.principal, record.session)
        except StreamProtocolError as error:
            # It is decided all the same. The asker's next turn finds the decision in the record.
            log_failure(logger, error, "approval %s: the chat could not go on", record.id)


def _concerns(record: ApprovalRecord, who: Principal) -> bool:
    return who.id == record.principal or bool(who.roles & set(record.steps))
