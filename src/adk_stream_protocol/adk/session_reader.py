"""SessionReader: reads the open turn of a chat from its ADK session."""

import asyncio
from typing import Protocol

from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session
from google.genai import types

from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert.history.exchanges import title_of, whole_turns

TITLE = "adk_stream_title"
"""The key of the session state that a chat is created with: a list of chats then needs no more."""
_LEAST_EVENTS = 16
_WIDER = 4

LOOKS = 40
LOOK_SECONDS = 0.05


class ReadChat(Protocol):
    """A chat whose session is read."""

    @property
    def id(self) -> ChatId: ...

    @property
    def calls(self) -> ChatCalls: ...


class SessionReader:
    """A conversation is read once per turn, with the records of its gated calls.

    An application may want no more of it read than the recent events. What can still be open is
    read all the same: everything since the last message the user wrote.
    """

    def __init__(
        self,
        sessions: TurnSessions,
        book: ApprovalBook,
        config: GetSessionConfig | None,
    ) -> None:
        self._sessions = sessions
        self._book = book
        self._config = config

    async def read(self, chat: ReadChat, *, whole: bool = False) -> OpenTurn | None:
        """Read the open turn of a chat; None if there is no such chat.

        If another process has a result but has not stored its event yet, wait briefly. Writing it
        here too would make ADK refuse theirs.
        """
        opened = await self._read(chat, whole)
        for _ in range(LOOKS):
            if opened is None or not opened.is_stored_elsewhere:
                break
            await asyncio.sleep(LOOK_SECONDS)
            opened = await self._read(chat, whole)
        return opened

    async def _read(self, chat: ReadChat, whole: bool) -> OpenTurn | None:
        session = await (self._get(chat.id, None) if whole else self._recent(chat.id))
        return None if session is None else await self.of(session, chat.calls)

    async def _recent(self, chat: ChatId) -> Session | None:
        config = self._config
        session = await self._get(chat, config)
        while session and config and _may_be_cut(session, config):
            if events := whole_turns(session.events):
                session.events = events
                break
            length = max(_LEAST_EVENTS, _WIDER * len(session.events))
            config = GetSessionConfig(num_recent_events=length)
            session = await self._get(chat, config)
        return session

    async def _get(self, chat: ChatId, config: GetSessionConfig | None) -> Session | None:
        return await self._sessions.read(*chat, config)

    async def read_or_create(
        self, chat: ReadChat, said: types.Content | None = None, *, whole: bool = False
    ) -> OpenTurn:
        """Read the open turn of a chat, created if need be; what is said first is its title."""
        if opened := await self.read(chat, whole=whole):
            return opened
        session = await self._sessions.create_session(
            app_name=chat.id.app,
            user_id=chat.id.user,
            session_id=chat.id.chat,
            state={TITLE: title_of(said)} if said else None,
        )
        return OpenTurn(self._sessions, session, self._book, chat.calls)

    async def of(self, session: Session, in_hand: ChatCalls) -> OpenTurn:
        """Read the records of a session that was read before."""
        is_whole = self._config is None
        opened = OpenTurn(self._sessions, session, self._book, in_hand, is_whole=is_whole)
        await opened.read_records()
        self._book.observer.recall(opened.calls.by_id.values())
        return opened


def _may_be_cut(session: Session, config: GetSessionConfig) -> bool:
    """Return whether there may be events before the ones that were read."""
    limit = config.num_recent_events
    return config.after_timestamp is not None or (
        limit is not None and len(session.events) >= limit
    )
