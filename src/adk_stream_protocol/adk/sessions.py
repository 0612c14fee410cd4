"""A session service that hands the session we have already read to the run that needs it next.

A turn looks at the session before ADK does (what is open, what to cancel). ADK then reads it again;
with a long history that read is the dearest thing the bridge could do twice.
"""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from google.adk.events.event import Event
from google.adk.sessions.base_session_service import (
    BaseSessionService,
    GetSessionConfig,
    ListSessionsResponse,
)
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from sqlalchemy.exc import SQLAlchemyError

from adk_stream_protocol.clock import steady_clock

logger = logging.getLogger(__name__)

_PREPARE_ATTEMPTS = 10

T = TypeVar("T")


class TurnSessions(BaseSessionService):
    """The application's session service, with one read saved per turn."""

    def __init__(self, inner: BaseSessionService) -> None:
        self.inner = inner
        self._has_store = not isinstance(inner, InMemorySessionService)
        self._read: WeakValueDictionary[tuple[str, str, str], Session] = WeakValueDictionary()
        """Who hands a session over holds it: one that no run took is gone with its turn."""

    def hand_over(self, session: Session) -> None:
        """Pass this object to the next read of the session."""
        self._read[(session.app_name, session.user_id, session.id)] = session

    async def read(
        self, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Read the session as it is stored now, whatever a turn before has left here."""
        self._read.pop((app_name, user_id, session_id), None)
        return await self.get_session(
            app_name=app_name, user_id=user_id, session_id=session_id, config=config
        )

    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        if session := self._read.pop((app_name, user_id, session_id), None):
            return session
        return await finish_even_if_cancelled(
            self.inner.get_session(
                app_name=app_name, user_id=user_id, session_id=session_id, config=config
            )
        )

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:
        return await finish_even_if_cancelled(
            self.inner.create_session(
                app_name=app_name, user_id=user_id, state=state, session_id=session_id
            )
        )

    async def list_sessions(
        self, *, app_name: str, user_id: str | None = None
    ) -> ListSessionsResponse:
        return await self.inner.list_sessions(app_name=app_name, user_id=user_id)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        await self.inner.delete_session(app_name=app_name, user_id=user_id, session_id=session_id)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        return await self.inner.get_user_state(app_name=app_name, user_id=user_id)

    async def append_event(self, session: Session, event: Event) -> Event:
        event.timestamp += steady_clock.skew  # databases order by it, and deadlines begin with it
        appending = self.inner.append_event(session, event)
        return await (finish_even_if_cancelled(appending) if self._has_store else appending)

    async def prepare(self) -> None:
        """Create ADK's tables. Workers that start together get in each other's way.

        The loser of that race finds tables that it wanted to create (SQLAlchemyError), or tables
        whose version is not written yet (ValueError, google-adk 2.13).
        """
        if not isinstance(self.inner, DatabaseSessionService):
            return
        for _ in range(_PREPARE_ATTEMPTS):
            try:
                return await self.inner.prepare_tables()
            except (SQLAlchemyError, OSError, ValueError) as error:
                logger.info("the tables of the sessions are not there yet: %r", error)
                await asyncio.sleep(0.2)
        logger.warning("the session store does not answer yet")

    async def flush(self) -> None:
        await self.inner.flush()


async def finish_even_if_cancelled(job: Coroutine[Any, Any, T] | asyncio.Task[T]) -> T:
    """Let a store finish what it has begun, also for a turn that is stopped in the middle of it.

    Cut off, it would keep its transaction, and with SQLite the lock on the whole file (aiosqlite
    0.22, SQLAlchemy 2.1).
    """
    task = asyncio.ensure_future(job)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise
