"""Histories: reads the conversations of one application."""

import asyncio

from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session
from google.genai import types

from adk_stream_protocol.adk.open_turn import History
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.convert.history.exchanges import title_of, whole_turns

TITLE = "adk_stream_title"
"""The key of the session state that a chat is created with: a list of chats then needs no more."""
_LEAST_EVENTS = 16
_WIDER = 4

LOOKS = 40
LOOK_SECONDS = 0.05


class Histories:
    """A conversation is read once per turn, with the records of its gated calls.

    An application may want no more of it read than the recent events. What can still be open is
    read all the same: everything since the last message the user wrote.
    """

    def __init__(
        self,
        app_name: str,
        sessions: TurnSessions,
        approvals: ApprovalBook,
        config: GetSessionConfig | None,
    ) -> None:
        self._app_name = app_name
        self._sessions = sessions
        self._approvals = approvals
        self._config = config

    async def read(self, key: tuple[str, str], *, whole: bool = False) -> History | None:
        """The conversation of a chat, if there is one.

        Another process that has just run a call is given a moment to store what came of it: told
        from here as well, its own event would be refused.
        """
        history = await self._read(key, whole)
        for _ in range(LOOKS):
            if history is None or not history.is_told_elsewhere:
                break
            await asyncio.sleep(LOOK_SECONDS)
            history = await self._read(key, whole)
        return history

    async def _read(self, key: tuple[str, str], whole: bool) -> History | None:
        session = await (self._get(key, None) if whole else self._recent(key))
        return None if session is None else await self.of(session)

    async def _recent(self, key: tuple[str, str]) -> Session | None:
        config = self._config
        session = await self._get(key, config)
        while session and config and _may_be_cut(session, config):
            if events := whole_turns(session.events):
                session.events = events
                break
            length = max(_LEAST_EVENTS, _WIDER * len(session.events))
            config = GetSessionConfig(num_recent_events=length)
            session = await self._get(key, config)
        return session

    async def _get(self, key: tuple[str, str], config: GetSessionConfig | None) -> Session | None:
        return await self._sessions.read(self._app_name, key[0], key[1], config)

    async def read_or_create(
        self, key: tuple[str, str], said: types.Content | None = None, *, whole: bool = False
    ) -> History:
        """The conversation of a chat, begun if need be; what is said first is its title."""
        if history := await self.read(key, whole=whole):
            return history
        session = await self._sessions.create_session(
            app_name=self._app_name,
            user_id=key[0],
            session_id=key[1],
            state={TITLE: title_of(said)} if said else None,
        )
        return History(self._sessions, session, self._approvals)

    async def of(self, session: Session) -> History:
        """The conversation in a session that has been read, with its records as they are now."""
        is_whole = self._config is None
        history = History(self._sessions, session, self._approvals, is_whole=is_whole)
        await history.read_records()
        self._approvals.observer.recall(history.calls.open())
        return history


def _may_be_cut(session: Session, config: GetSessionConfig) -> bool:
    """Whether there may be events before the ones that were read."""
    limit = config.num_recent_events
    return config.after_timestamp is not None or (
        limit is not None and len(session.events) >= limit
    )
