"""TurnSessions: one read saved per turn, and writes that nobody cuts off."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from adk_stream_protocol.adk.sessions import TurnSessions, finish_even_if_cancelled

KEY: dict[str, Any] = {"app_name": "shop", "user_id": "alice", "session_id": "c"}


async def made(inner: BaseSessionService) -> TurnSessions:
    sessions = TurnSessions(inner)
    await sessions.create_session(**KEY, state={"a": 1})
    return sessions


async def test_a_session_that_was_handed_over_is_read_once() -> None:
    sessions = await made(InMemorySessionService())
    session = await sessions.get_session(**KEY)
    assert session
    sessions.hand_over(session)
    assert await sessions.get_session(**KEY) is session
    assert await sessions.get_session(**KEY) is not session


async def test_a_session_that_no_run_took_is_gone_with_its_turn() -> None:
    sessions = await made(InMemorySessionService())
    session = await sessions.get_session(**KEY)
    assert session
    sessions.hand_over(session)
    known = id(session)
    del session
    found = await sessions.get_session(**KEY)
    assert found and (id(found) != known or found.events == [])


async def test_a_read_for_a_turn_passes_by_what_was_left() -> None:
    sessions = await made(InMemorySessionService())
    session = await sessions.get_session(**KEY)
    assert session
    sessions.hand_over(session)
    assert await sessions.read("shop", "alice", "c") is not session
    assert await sessions.get_session(**KEY) is not session


async def test_everything_else_is_the_applications_store(tmp_path: Path) -> None:
    inner = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 's.db'}")
    sessions = TurnSessions(inner)
    await sessions.prepare()
    await sessions.create_session(**KEY, state={"a": 1, "user:b": 2})
    session = await sessions.get_session(**KEY)
    assert session
    await sessions.append_event(session, Event(author="user"))
    await sessions.flush()
    stored = await inner.get_session(**KEY)
    assert stored and len(stored.events) == 1 and stored.state["a"] == 1
    assert await sessions.get_user_state(app_name="shop", user_id="alice") == {"b": 2}
    listed = await sessions.list_sessions(app_name="shop", user_id="alice")
    assert [one.id for one in listed.sessions] == ["c"]
    await sessions.delete_session(**KEY)
    assert await sessions.get_session(**KEY) is None
    await inner.close()


async def test_a_store_without_tables_has_nothing_to_prepare() -> None:
    await TurnSessions(InMemorySessionService()).prepare()


class Contended(DatabaseSessionService):
    """Finds tables that another worker has half made, so often."""

    def __init__(self, url: str, times: int) -> None:
        super().__init__(url)
        self.times = times

    async def prepare_tables(self) -> None:
        self.times -= 1
        if self.times >= 0:
            raise ValueError("no version yet")
        await super().prepare_tables()


async def test_tables_that_another_worker_makes_are_waited_for(tmp_path: Path) -> None:
    inner = Contended(f"sqlite+aiosqlite:///{tmp_path / 's.db'}", times=2)
    await TurnSessions(inner).prepare()
    assert inner.times == -1
    await inner.close()


async def test_a_store_that_does_not_answer_keeps_nobody_from_starting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adk_stream_protocol.adk.sessions._PREPARE_ATTEMPTS", 2)
    inner = Contended(f"sqlite+aiosqlite:///{tmp_path / 's.db'}", times=100)
    await TurnSessions(inner).prepare()
    assert "does not answer yet" in caplog.text
    await inner.close()


async def test_what_a_store_has_begun_it_finishes() -> None:
    begun, let_go, finished = asyncio.Event(), asyncio.Event(), list[str]()

    async def job() -> str:
        begun.set()
        await let_go.wait()
        finished.append("written")
        return "written"

    task = asyncio.create_task(finish_even_if_cancelled(job()))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    let_go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert finished == ["written"]


async def test_what_is_not_cut_off_just_returns() -> None:
    async def job() -> int:
        return 5

    assert await finish_even_if_cancelled(job()) == 5
