"""Histories: reads the conversations of one application."""

from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session
from google.genai import types

from adk_stream_protocol.convert.exchanges import title_of
from adk_stream_protocol.runtime.approvals import Approvals
from adk_stream_protocol.runtime.conversations import TITLE
from adk_stream_protocol.runtime.history import History
from adk_stream_protocol.runtime.sessions import TurnSessions
from adk_stream_protocol.runtime.turns import Key


class Histories:
    """A conversation is read once per turn, with the records of its gated calls."""

    def __init__(
        self,
        app_name: str,
        sessions: TurnSessions,
        approvals: Approvals,
        config: GetSessionConfig | None,
    ) -> None:
        self._app_name = app_name
        self._sessions = sessions
        self._approvals = approvals
        self._config = config

    async def read(self, key: Key, *, whole: bool = False) -> History | None:
        """The conversation of a chat, if there is one."""
        session = await self._sessions.get_session(
            app_name=self._app_name,
            user_id=key[0],
            session_id=key[1],
            config=None if whole else self._config,
        )
        return None if session is None else await self.of(session)

    async def read_or_create(
        self, key: Key, said: types.Content | None = None, *, whole: bool = False
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
        history = History(self._sessions, session, self._approvals)
        await history.read_records()
        return history
