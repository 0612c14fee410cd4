"""A session service that hands the session we have already read to the run that needs it next.

A turn looks at the session before ADK does (what is open, what to cancel). ADK then reads it again;
with a long history that read is the dearest thing the bridge could do twice.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import (
    BaseSessionService,
    GetSessionConfig,
    ListSessionsResponse,
)
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from adk_stream_protocol.adk.task_context import current_run
from adk_stream_protocol.clock import steady_clock
from adk_stream_protocol.errors import Busy, Unavailable

logger = logging.getLogger(__name__)

_PREPARE_ATTEMPTS = 10
_LOCKED_ATTEMPTS = 4

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
        return await _stored(
            lambda: self.inner.get_session(
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
        return await _stored(
            lambda: self.inner.create_session(
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
        event = await _stored(
            lambda: self.inner.append_event(session, event), is_remote=self._has_store
        )
        if run := current_run():
            run.stored(event)
        return event

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


async def _stored(do: Callable[[], Coroutine[Any, Any, T]], *, is_remote: bool = True) -> T:
    """Let the store do something, or raise Unavailable, or Busy if another process was faster."""
    for left in range(_LOCKED_ATTEMPTS, -1, -1):
        try:
            return await (finish_even_if_cancelled(do()) if is_remote else do())
        except AlreadyExistsError as error:
            raise Busy("Another message in this chat came first. Please try again.") from error
        except (SQLAlchemyError, OSError) as error:
            # SQLite gives up when others have written for too long. Nothing was written then.
            if not left or not _is_locked(error):
                raise Unavailable("The store is not responding. Please try again.") from error
        await asyncio.sleep(random.uniform(0.05, 0.5))
    raise AssertionError("the last attempt returns or raises")


def _is_locked(error: Exception) -> bool:
    return isinstance(error, OperationalError) and "database is locked" in str(error.orig)


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
