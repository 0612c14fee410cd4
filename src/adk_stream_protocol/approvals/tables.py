"""The tables of the SQL store."""

from sqlalchemy import (
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

schema = Table(
    "adk_stream_schema",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("version", Integer, nullable=False),
)

approvals = Table(
    "adk_stream_approvals",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("app", String(128), nullable=False),
    Column("principal", String(128), nullable=False),
    Column("session", String(128), nullable=False),
    Column("call_id", String(256), nullable=False),
    Column("invocation_id", String(256), nullable=False),
    Column("tool", String(256), nullable=False),
    Column("arguments", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("idempotency_key", String(64), nullable=False),
    Column("steps", Text, nullable=False),
    Column("step", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("decided_by", String(128)),
    Column("decided_at", Float),
    Column("reason", Text),
    Column("holder", String(256)),
    Column("result", Text),
    UniqueConstraint("app", "principal", "session", "call_id"),
    Index("adk_stream_approvals_state", "app", "state"),
)

audit = Table(
    "adk_stream_audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("approval_id", String(64), nullable=False, index=True),
    Column("event", String(16), nullable=False),
    Column("actor", String(256), nullable=False),
    Column("state", String(16), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("reason", Text),
)
