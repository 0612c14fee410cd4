"""Approval records and lines of their trail, made for a test."""

from dataclasses import replace
from uuid import uuid4

from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.store import AuditEntry


def record(**fields: object) -> ApprovalRecord:
    """A request of Alice's for a payment, with other fields where they are given."""
    base = ApprovalRecord(
        id=f"adk-{uuid4()}",
        app="shop",
        principal="alice",
        session="s",
        call_id=f"c-{uuid4()}",
        invocation_id="i",
        tool="pay",
        arguments='{"amount":5}',
        digest="d",
        created=1.0,
        expires=100.0,
        idempotency_key="k",
    )
    return replace(base, **fields)  # pyright: ignore[reportArgumentType]


def entry(one: ApprovalRecord, event: str = "request") -> AuditEntry:
    """The line that a change of a record writes."""
    return AuditEntry(1.0, one.id, event, "alice", one.state.value, one.digest)
