"""The one SQL store: SQLite for one host, PostgreSQL for many."""

import asyncio
import json
from collections.abc import Callable, Collection
from dataclasses import asdict, fields
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    create_engine,
    event,
    insert,
    make_url,
    select,
    update,
)
from sqlalchemy.exc import DatabaseError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from adk_stream_protocol.approvals import tables
from adk_stream_protocol.approvals.record import SCHEMA_VERSION, ApprovalRecord, Principal, State
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.errors import Unavailable

T = TypeVar("T")

_CREATE_ATTEMPTS = 5
_GUARD = ("id", "state", "step", "holder", "digest")


class SqlApprovalStore:
    """Records and trail in a database. A transition and its audit line are one transaction."""

    promises = "records survive the process and hold between processes"

    def __init__(self, url: str) -> None:
        self._database = _Sqlite(url) if url.startswith("sqlite") else _Network(url)
        self._ready = False
        self._preparing = asyncio.Lock()

    async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
        def work(connection: Connection) -> None:
            connection.execute(insert(tables.approvals).values(_row(record)))
            connection.execute(insert(tables.audit).values(asdict(entry)))

        try:
            await self._run(work)
        except IntegrityError:
            calls = [record.call_id]
            return (await self.of_calls(record.app, record.principal, record.session, calls))[0]
        return record

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        columns, old, new = tables.approvals.c, _row(before), _row(after)
        changed = {name: value for name, value in new.items() if value != old[name]}
        still = [columns[name].is_not_distinct_from(old[name]) for name in _GUARD]
        change = update(tables.approvals).where(*still).values(changed or {"step": after.step})

        def work(connection: Connection) -> bool:
            moved = connection.execute(change).rowcount == 1
            if moved:
                connection.execute(insert(tables.audit).values(asdict(entry)))
            return moved

        return await self._run(work)

    async def get(self, approval_id: str) -> ApprovalRecord | None:
        found = await self._select(tables.approvals.c.id == approval_id)
        return found[0] if found else None

    async def of_calls(
        self, app: str, principal: str, session: str, call_ids: Collection[str]
    ) -> list[ApprovalRecord]:
        wanted = tables.approvals.c.call_id.in_(call_ids)
        return await self._select(*_of_chat(app, principal, session), wanted)

    async def of_invocation(
        self, app: str, principal: str, session: str, invocation_id: str
    ) -> list[ApprovalRecord]:
        wanted = tables.approvals.c.invocation_id == invocation_id
        return await self._select(*_of_chat(app, principal, session), wanted)

    async def pending(self, app: str, who: Principal) -> list[ApprovalRecord]:
        columns = tables.approvals.c
        waiting = await self._select(columns.app == app, columns.state == State.PENDING)
        return [one for one in waiting if one.waits_for(who)]

    async def listed(self, state: str | None, limit: int | None) -> list[ApprovalRecord]:
        wanted = [tables.approvals.c.state == state] if state else []
        return await self._select(*wanted, limit=limit)

    async def trail(self, approval_id: str | None) -> list[AuditEntry]:
        names = [field.name for field in fields(AuditEntry)]
        query = select(*(tables.audit.c[name] for name in names)).order_by(tables.audit.c.number)
        if approval_id:
            query = query.where(tables.audit.c.approval_id == approval_id)
        rows = await self._run(lambda connection: connection.execute(query).all())
        return [AuditEntry(*row) for row in rows]

    async def close(self) -> None:
        await self._database.close()

    async def _select(self, *wanted: Any, limit: int | None = None) -> list[ApprovalRecord]:
        created = tables.approvals.c.created
        query = select(tables.approvals).where(*wanted).order_by(created.desc()).limit(limit)
        rows = await self._run(lambda connection: connection.execute(query).all())
        return [_record(row) for row in reversed(rows)]

    async def _run(self, work: Callable[[Connection], T]) -> T:
        """One transaction."""
        try:
            await self._prepare()
            return await self._database.run(work)
        except IntegrityError:
            raise
        except (SQLAlchemyError, OSError) as error:
            raise Unavailable("The approval store does not answer. Nothing was done.") from error

    async def _prepare(self) -> None:
        if self._ready:
            return
        async with self._preparing:
            if not self._ready:
                await self._migrate()
                self._ready = True

    async def _migrate(self) -> None:
        """Create what is missing; refuse a database that a newer version has written."""
        version: int | None = None
        for attempt in range(_CREATE_ATTEMPTS):
            try:
                version = await self._database.run(_create)
                break
            except DatabaseError:
                # Another process creates the same tables at the same moment.
                if attempt + 1 == _CREATE_ATTEMPTS:
                    raise
                await asyncio.sleep(0.1)
        if version is not None and version > SCHEMA_VERSION:
            raise Unavailable(f"The approval store has schema {version}; update this program.")


class _Sqlite:
    """A transaction is one visit to a thread: with an async driver each statement would be one."""

    def __init__(self, url: str) -> None:
        self._engine = create_engine(make_url(url).set(drivername="sqlite"))
        event.listen(self._engine, "connect", _harden_sqlite)

    async def run(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._transaction, work)

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        with self._engine.begin() as connection:
            return work(connection)

    async def close(self) -> None:
        await asyncio.to_thread(self._engine.dispose)


class _Network:
    """A database server, through its async driver."""

    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url, pool_pre_ping=True)

    async def run(self, work: Callable[[Connection], T]) -> T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(work)

    async def close(self) -> None:
        await self._engine.dispose()


def _create(connection: Connection) -> int | None:
    tables.metadata.create_all(connection)
    version = connection.scalar(select(tables.schema.c.version))
    if version is None:
        values = {"name": "approvals", "version": SCHEMA_VERSION}
        connection.execute(insert(tables.schema).values(values))
    return version


def _of_chat(app: str, principal: str, session: str) -> list[ColumnElement[bool]]:
    columns = tables.approvals.c
    return [columns.app == app, columns.principal == principal, columns.session == session]


def _harden_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _row(record: ApprovalRecord) -> dict[str, Any]:
    return {**asdict(record), "steps": json.dumps(record.steps), "state": record.state.value}


def _record(row: Row[Any]) -> ApprovalRecord:
    values: dict[str, Any] = dict(row._mapping)  # pyright: ignore[reportPrivateUsage]
    values["steps"] = tuple(json.loads(values["steps"]))
    values["state"] = State(values["state"])
    return ApprovalRecord(**values)
