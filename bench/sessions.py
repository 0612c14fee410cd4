"""Sessions in memory whose user id says how long their history already is: `history-1000`."""

from typing import Any

from google.adk.events import Event
from google.adk.sessions import InMemorySessionService, Session
from google.genai import types

from bench.model import APP_NAME, user_message

PREFIX = "history-"


class SeededSessions(InMemorySessionService):
    """A new session of such a user begins with that many stored events; others begin empty."""

    async def create_session(self, *, user_id: str, **keywords: Any) -> Session:
        created = await super().create_session(user_id=user_id, **keywords)
        if not user_id.startswith(PREFIX):
            return created
        stored = self.sessions[created.app_name][user_id][created.id]
        stored.events.extend(history(int(user_id.removeprefix(PREFIX))))
        return await self.get_session(
            app_name=created.app_name, user_id=user_id, session_id=created.id
        )


SESSIONS = SeededSessions()


def history(length: int) -> list[Event]:
    """Return the events of earlier turns, two each."""
    answer = types.Content(role="model", parts=[types.Part(text="An earlier answer.")])
    return [
        Event(
            invocation_id=f"e-{index // 2}",
            author=APP_NAME if index % 2 else "user",
            content=answer if index % 2 else user_message("text 1"),
        )
        for index in range(length)
    ]
