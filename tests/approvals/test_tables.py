"""The tables: a column for every field, and one record for a call."""

from dataclasses import fields

import pytest
from sqlalchemy import create_engine, insert
from sqlalchemy.exc import IntegrityError

from adk_stream_protocol.approvals import tables
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.store import AuditEntry


def test_every_field_has_its_column() -> None:
    assert [column.name for column in tables.approvals.c] == [
        field.name for field in fields(ApprovalRecord)
    ]
    assert {column.name for column in tables.audit.c} - {"number"} == {
        field.name for field in fields(AuditEntry)
    }


def test_a_call_has_one_record() -> None:
    engine = create_engine("sqlite://")
    tables.metadata.create_all(engine)
    required = {column.name: 0 for column in tables.approvals.c if not column.nullable}
    with engine.connect() as connection:
        connection.execute(insert(tables.approvals).values({**required, "id": "a"}))
        with pytest.raises(IntegrityError):
            connection.execute(insert(tables.approvals).values({**required, "id": "b"}))
    engine.dispose()
