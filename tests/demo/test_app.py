"""The demo's app from start to end: what it opens, it closes."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import httpx

from adk_stream_protocol.demo.app import DemoSettings, build_app

SECONDS = 60


def connections() -> set[threading.Thread]:
    """The connections to SQLite files: aiosqlite has a thread for each."""
    return {one for one in threading.enumerate() if "connection_worker" in one.name}


def journal(database: Path) -> str:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("PRAGMA journal_mode").fetchone()[0]


async def test_no_connection_outlives_the_app(tmp_path: Path) -> None:
    before = connections()
    app = build_app(DemoSettings(tmp_path))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://demo") as client,
    ):
        message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}
        answer = await client.post("/api/chat", json={"id": "chat", "messages": [message]})
        assert answer.status_code == 200
        opened = connections() - before
        assert opened
    for thread in opened:
        thread.join(SECONDS)
    assert connections() - before == set()
    # Without it a dozen chats that write at once find the database locked.
    assert journal(tmp_path / "sessions.sqlite3") == "wal"
