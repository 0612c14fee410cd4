"""The two commits that a gated call cannot do without, in one thread with nothing above SQLite."""

import sqlite3
import time
from pathlib import Path

from sqlalchemy import create_engine

from adk_stream_protocol.approvals import tables

ADD = "insert into adk_stream_approvals values (" + ",".join("?" * 20) + ")"
MOVE = "update adk_stream_approvals set state = ?, result = ? where id = ? and state = ?"
LINE = (
    "insert into adk_stream_audit (at, approval_id, event, actor, state, digest)"
    " values (?, ?, ?, ?, ?, ?)"
)
DIGEST = "d" * 64


class BareSqlite:
    """The same tables, the same durability, rows of the same size."""

    def __init__(self, path: Path) -> None:
        engine = create_engine(f"sqlite:///{path}")
        tables.metadata.create_all(engine)
        engine.dispose()
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("pragma journal_mode=WAL")
        self._db.execute("pragma synchronous=FULL")
        self._calls = 0

    def call(self) -> float:
        """Milliseconds of a claim and a result; the request and the decision come before."""
        self._calls += 1
        name = f"adk-{self._calls * 7919 % 1_000_003:036d}"
        ids = [name, "bench", "bench", name, f"adk-{name}", f"e-{name}", "pay", '{"amount":1}']
        rest = [DIGEST, 1.5e9, 1.5e9, DIGEST, "[]", 0, "pending", None, None, None, None, None]
        self._commit(ADD, [*ids, *rest], name, "request")
        self._commit(MOVE, ["approved", None, name, "pending"], name, "approve")
        begun = time.perf_counter()
        self._commit(MOVE, ["executing", None, name, "approved"], name, "claim")
        self._commit(MOVE, ["done", '{"paid": 1}', name, "executing"], name, "result")
        return 1e3 * (time.perf_counter() - begun)

    def _commit(self, statement: str, values: list[object], name: str, event: str) -> None:
        self._db.execute("begin")
        assert self._db.execute(statement, values).rowcount == 1
        self._db.execute(LINE, [1.5e9, name, event, "host:1000:bench", event, DIGEST])
        self._db.execute("commit")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
