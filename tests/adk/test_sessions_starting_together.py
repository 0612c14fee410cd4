"""The application's session service, as turns use it."""

import asyncio
import logging
from pathlib import Path

import pytest
from google.adk.sessions.database_session_service import DatabaseSessionService

from adk_stream_protocol.adk.sessions import TurnSessions


async def test_workers_that_start_together_on_an_empty_database(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """ADK's tables are created once; who loses that race tries again."""
    address = f"sqlite+aiosqlite:///{tmp_path / 'sessions.sqlite3'}"
    stores = [DatabaseSessionService(address) for _ in range(4)]
    workers = [TurnSessions(store) for store in stores]
    with caplog.at_level(logging.WARNING):
        await asyncio.gather(*(worker.prepare() for worker in workers))
    assert caplog.messages == []
    made = await workers[0].create_session(app_name="app", user_id="u", session_id="s")
    for worker in workers:
        read = await worker.read("app", "u", "s")
        assert read is not None and read.id == made.id
    for store in stores:
        await store.close()
