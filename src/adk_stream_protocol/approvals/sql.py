"""The one SQL store: SQLite for one host, PostgreSQL for many."""

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Row,
    RowMapping,
    Select,
    bindparam,
    create_engine,
    event,
    func,
    insert,
    make_url,
    or_,
    select,
    update,
)
from sqlalchemy.exc import DatabaseError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from adk_stream_protocol.approvals import tables
from adk_stream_protocol.approvals.record import SCHEMA_VERSION, ApprovalRecord, Principal, State
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Unavailable

T = TypeVar("T")

_CREATE_ATTEMPTS = 5
_FIELDS = tuple(field.name for field in fields(ApprovalRecord))
_LINE = tuple(field.name for field in fields(AuditEntry))
_CHAT = ("app", "principal", "session")
_GUARD = ("id", "state", "step", "digest")
_CHANGES = ("state", "step", "decided_by", "decided_at", "reason", "holder", "result")

# Built once: to build a statement takes SQLAlchemy longer than SQLite takes to run it.
_columns = tables.approvals.c
_ADD = insert(tables.approvals)
_ADD_LINE = insert(tables.audit).inline()
_MOVE = (
    update(tables.approvals)
    .where(*(_columns[name] == bindparam(f"old_{name}") for name in _GUARD))
    # It alone may be null: PostgreSQL looks for such a comparison in no index.
    .where(_columns.holder.is_not_distinct_from(bindparam("old_holder")))
    .values({name: bindparam(f"new_{name}") for name in _CHANGES})
)
_NEWEST = select(*(_columns[name] for name in _FIELDS)).order_by(_columns.created.desc())
_OF_CHAT = _NEWEST.where(*(_columns[name] == bindparam(name) for name in _CHAT))
_OF_CALLS = _OF_CHAT.where(_columns.call_id.in_(bindparam("call_ids", expanding=True)))
_OF_INVOCATION = _OF_CHAT.where(
    _columns.invocation_id == bindparam("invocation_id"),
    or_(_columns.state == State.PENDING.value, _columns.created >= bindparam("since")),
)
_BY_ID = _NEWEST.where(_columns.id == bindparam("id"))
_BY_STATE = _NEWEST.where(_columns.state == bindparam("state"))
_OF_APP = _BY_STATE.where(_columns.app == bindparam("app"))
_OF_PERSON = _OF_APP.where(or_(_columns.principal == bindparam("who"), _columns.steps != "[]"))
_LINES = select(*(tables.audit.c[name] for name in _LINE)).order_by(tables.audit.c.number)
_LINES_OF = _LINES.where(tables.audit.c.approval_id == bindparam("id"))
_LATEST = select(tables.audit.c.at).order_by(tables.audit.c.number.desc()).limit(1)
_OPEN = select(func.count()).where(
    *(_columns[name] == bindparam(name) for name in ("app", "principal", "state"))
)


class SqlApprovalStore:
    """Records and trail in a database. A transition and its audit line are one transaction."""

    promises = "records survive the process and hold between processes"

    def __init__(self, url: str) -> None:
        self._database = _Sqlite(url) if url.startswith("sqlite") else _Network(url)
        self._ready = False
        self._preparing = asyncio.Lock()

    async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
        def work(connection: Connection) -> None:
            connection.execute(_ADD, _row(record))
            connection.execute(_ADD_LINE, _line(entry))

        try:
            await self._run(work)
        except IntegrityError:
            calls = [record.call_id]
            return (await self.of_calls(record.chat_id, calls))[0]
        return record

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        old = {f"old_{name}": getattr(before, name) for name in (*_GUARD, "holder")}
        new = {f"new_{name}": getattr(after, name) for name in _CHANGES}

        def work(connection: Connection) -> bool:
            moved = connection.execute(_MOVE, old | new).rowcount == 1
            if moved:
                connection.execute(_ADD_LINE, _line(entry))
            return moved

        return await self._run(work)

    async def get(self, approval_id: str) -> ApprovalRecord | None:
        found = await self._select(_BY_ID, id=approval_id)
        return found[0] if found else None

    async def of_calls(self, chat: ChatId, call_ids: Collection[str]) -> list[ApprovalRecord]:
        return await self._select(_OF_CALLS, **_chat(chat), call_ids=list(call_ids))

    async def of_invocation(
        self, chat: ChatId, invocation_id: str, since: float = 0.0
    ) -> list[ApprovalRecord]:
        return await self._select(
            _OF_INVOCATION, **_chat(chat), invocation_id=invocation_id, since=since
        )

    async def pending(self, app: str, who: Principal) -> list[ApprovalRecord]:
        waiting = await self._select(_OF_PERSON, app=app, state=State.PENDING, who=who.id)
        return [record for record in waiting if record.waits_for(who)]

    async def listed(self, state: str | None, limit: int | None) -> list[ApprovalRecord]:
        if state:
            return await self._select(_BY_STATE.limit(limit), state=state)
        return await self._select(_NEWEST.limit(limit))

    async def trail(self, approval_id: str | None) -> list[AuditEntry]:
        def work(connection: Connection) -> Sequence[Row[Any]]:
            if approval_id:
                return connection.execute(_LINES_OF, {"id": approval_id}).all()
            return connection.execute(_LINES).all()

        return [AuditEntry(*row) for row in await self._run(work)]

    async def open_count(self, app: str, principal: str) -> int:
        values = {"app": app, "principal": principal, "state": State.PENDING.value}

        def work(connection: Connection) -> int:
            return connection.scalar(_OPEN, values) or 0

        return await self._run(work)

    async def latest(self) -> float | None:
        def work(connection: Connection) -> float | None:
            return connection.scalar(_LATEST)

        return await self._run(work)

    async def close(self) -> None:
        await self._database.close()

    async def _select(self, query: Select[Any], **values: Any) -> list[ApprovalRecord]:
        def work(connection: Connection) -> Sequence[RowMapping]:
            return connection.execute(query, values).mappings().all()

        rows = await self._run(work)
        return [_record(row) for row in reversed(rows)]

    async def _run(self, work: Callable[[Connection], T]) -> T:
        """Run one transaction."""
        try:
            await self._prepare()
            return await self._database.run(work)
        except IntegrityError:
            raise
        except (SQLAlchemyError, OSError) as error:
            raise Unavailable(
                "The approval store is not responding. Nothing was changed."
            ) from error

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
            raise Unavailable(
                f"The approval store has the newer schema {version}. Please update this program."
            )


class _Sqlite:
    """A transaction is one visit to a thread: with an async driver each statement would be one.

    SQLite takes one writer at a time and lets the others poll, so there is one thread.
    """

    def __init__(self, url: str) -> None:
        where = make_url(url).set(drivername="sqlite")
        self._engine = create_engine(where, hide_parameters=True)  # errors go to logs and traces
        self._thread = ThreadPoolExecutor(1, "adk-stream-approvals")
        self._connection: Connection | None = None
        """Kept open: to fetch it from a pool each time would take longer than a statement."""
        event.listen(self._engine, "connect", harden_sqlite)

    async def run(self, work: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._transaction, work)

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        connection = self._connection = self._connection or self._engine.connect()
        try:
            with connection.begin():
                return work(connection)
        except BaseException:
            self._disconnect()  # whatever it was, the next one begins anew
            raise

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            connection.close()

    async def close(self) -> None:
        self._thread.submit(self._disconnect)
        await asyncio.to_thread(self._thread.shutdown)
        self._engine.dispose()


class _Network:
    """A database server, through its async driver."""

    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url, pool_pre_ping=True, hide_parameters=True)

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


def harden_sqlite(connection: Any, _: Any) -> None:
    """Make commits last and writers wait in line; for the `connect` event of an engine."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _row(record: ApprovalRecord) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in _FIELDS}
    return values | {"steps": json.dumps(record.steps)}


def _line(entry: AuditEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in _LINE}


def _record(row: RowMapping) -> ApprovalRecord:
    values: dict[str, Any] = dict(row)
    values["steps"] = tuple(json.loads(values["steps"]))
    values["state"] = State(values["state"])
    return ApprovalRecord(**values)


def _chat(chat: ChatId) -> dict[str, str]:
    """Name a chat in the columns of the table."""
    return dict(zip(_CHAT, chat, strict=True))
