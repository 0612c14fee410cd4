"""Whether a process lives, and whether it can serve: its stores may be away or full."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from sqlalchemy.exc import OperationalError

from adk_stream_protocol import MemoryApprovalStore
from adk_stream_protocol.errors import Unavailable
from adk_stream_protocol.transports import health
from tests.support.servers.in_process import Served, clerk, serving

FULL = OperationalError("INSERT", {}, Exception("database or disk is full"))
AWAY = ConnectionRefusedError("connect call failed")
LOCKED = OperationalError("UPDATE", {}, Exception("database is locked"))


class Sessions(InMemorySessionService):
    """A store that fails when it is told to."""

    reading: Exception | None = None
    writing: Exception | None = None
    failures = 10_000

    def _fail(self, error: Exception | None) -> None:
        if error and self.failures:
            self.failures -= 1
            raise error

    async def get_session(self, **names: Any) -> Session | None:
        self._fail(self.reading)
        return await super().get_session(**names)

    async def create_session(self, **names: Any) -> Session:
        self._fail(self.writing)
        return await super().create_session(**names)

    async def append_event(self, session: Session, event: Event) -> Event:
        self._fail(self.writing)
        return await super().append_event(session, event)


async def ready(served: Served) -> tuple[int, Any]:
    answer = await served.request("GET", "/readyz")
    return answer.status_code, answer.json()["checks"]


@pytest.fixture
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "FRESH_SECONDS", 0.0)


@pytest.mark.usefixtures("always_fresh")
async def test_a_process_is_ready_while_its_stores_answer() -> None:
    sessions = Sessions()
    async with serving(clerk(), session_service=sessions) as served:
        assert await ready(served) == (200, {"sessions": "ok", "approvals": "ok"})
        sessions.reading = AWAY
        assert await ready(served) == (503, {"sessions": "does not answer", "approvals": "ok"})
        assert (await served.request("GET", "/healthz")).json()["status"] == "ok"
        sessions.reading = None
        assert (await ready(served))[0] == 200


async def test_what_was_found_lately_is_not_looked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "FRESH_SECONDS", 3_600.0)
    sessions = Sessions()
    async with serving(clerk(), session_service=sessions) as served:
        assert (await ready(served))[0] == 200
        sessions.reading = AWAY
        assert (await ready(served))[0] == 200
        served.chat.is_closing = True
        assert (await ready(served))[0] == 503


@pytest.mark.parametrize("error", [FULL, AWAY])
@pytest.mark.parametrize("what", ["reading", "writing"])
@pytest.mark.parametrize("is_new", [True, False])
async def test_a_message_that_cannot_be_stored_is_refused_before_the_stream(
    error: Exception, what: str, is_new: bool
) -> None:
    sessions = Sessions()
    async with serving(clerk(), session_service=sessions) as served:
        if not is_new:
            assert (await served.say("/say 1")).said
        setattr(sessions, what, error)
        refused = await served.say("/say 2")
        assert refused.status == 503 and "unavailable" in refused.text
        setattr(sessions, what, None)
        assert (await served.say("/say 3")).said == "1 2 3 "


async def test_a_locked_database_is_tried_again() -> None:
    sessions = Sessions()
    async with serving(clerk(), session_service=sessions) as served:
        sessions.writing, sessions.failures = LOCKED, 2
        assert (await served.say("/say 2")).said == "1 2 "
        sessions.failures = 10_000
        assert (await served.say("/say 2")).status == 503


class AwayStore(MemoryApprovalStore):
    async def latest(self) -> float | None:
        raise Unavailable("away")


async def test_an_approval_store_that_is_away_is_not_ready_but_lets_the_process_start() -> None:
    async with serving(clerk(), approval_store=AwayStore()) as served:
        assert await ready(served) == (503, {"sessions": "ok", "approvals": "does not answer"})
        assert (await served.say("/say 1")).said


class Meeting(DatabaseSessionService):
    """A store in which two servers look for a chat before either of them makes it."""

    def __init__(self, url: str, barrier: asyncio.Barrier) -> None:
        super().__init__(url)
        self._barrier = barrier
        self._has_met = False

    async def get_session(self, **names: Any) -> Session | None:
        found = await super().get_session(**names)
        if not self._has_met and names["user_id"] == "alice":
            self._has_met = True
            await self._barrier.wait()
        return found


async def test_of_two_first_turns_on_two_servers_one_is_busy(tmp_path: Path) -> None:
    url, barrier = f"sqlite+aiosqlite:///{tmp_path}/sessions.sqlite3", asyncio.Barrier(2)
    here, there = Meeting(url, barrier), Meeting(url, barrier)
    async with (
        serving(clerk(), session_service=here) as one,
        serving(clerk(), session_service=there) as other,
    ):
        replies = await asyncio.gather(one.say("/say 1"), other.say("/say 1"))
        assert sorted(reply.status for reply in replies) == [200, 409]
        assert all("internal" not in reply.text for reply in replies)
        assert (await other.say("/say 2")).said == "1 2 "
    await here.close()
    await there.close()
