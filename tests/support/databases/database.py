"""A database of a test's own, of either kind."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from uuid import uuid4

import asyncpg
import pytest

from tests.support.databases.postgres import PostgresServer


class Database(AbstractAsyncContextManager[str]):
    """Gives the URL of an empty SQLite file or PostgreSQL database."""

    def __init__(self, kind: str, folder: Path, request: pytest.FixtureRequest) -> None:
        self._file = folder / "approvals.sqlite3"
        self._server: PostgresServer | None = None
        if kind == "postgres":
            self._server = request.getfixturevalue("postgres")
        self._name = f"races_{uuid4().hex}"

    async def __aenter__(self) -> str:
        if self._server is None:
            return f"sqlite+aiosqlite:///{self._file}"
        await self._command(self._server, f"CREATE DATABASE {self._name}")
        return self._server.url.rpartition("/")[0] + f"/{self._name}"

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            await self._command(self._server, f"DROP DATABASE {self._name} WITH (FORCE)")

    async def _command(self, server: PostgresServer, statement: str) -> None:
        connection = await asyncpg.connect(
            f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
        )
        await connection.execute(statement)
        await connection.close()
