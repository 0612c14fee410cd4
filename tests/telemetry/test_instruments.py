"""Spans as notes that outlive a process, spans of the past, and lines of a log."""

import logging

import pytest
from opentelemetry import trace

from adk_stream_protocol.telemetry import instruments
from adk_stream_protocol.telemetry.instruments import (
    log_event,
    noted_span,
    span_of_the_past,
    traceparent,
)
from tests.support.listener import Listener


def test_a_span_is_noted_and_found_again(listener: Listener) -> None:
    with listener.tracer.start_as_current_span("asking") as asking:
        note = traceparent()
    found = noted_span(note["traceparent"])
    assert list(note) == ["traceparent"]
    assert (found.span_id, found.is_remote) == (asking.get_span_context().span_id, True)


def test_where_nobody_traces_there_is_no_note() -> None:
    assert traceparent() == {}
    assert not noted_span(None).is_valid and not noted_span("nonsense").is_valid


def test_a_span_of_the_past_stands_under_one_and_is_linked_to_the_other(
    listener: Listener,
) -> None:
    with listener.tracer.start_as_current_span("asking") as asking:
        pass
    with listener.tracer.start_as_current_span("answering") as answering:
        span_of_the_past("wait", asking.get_span_context(), (1.0, 3.0), {"a": 1})
    wait = listener.span("wait")
    assert wait.parent and wait.parent.span_id == asking.get_span_context().span_id
    assert [link.context for link in wait.links] == [answering.get_span_context()]
    assert (wait.start_time, wait.end_time, dict(wait.attributes or {})) == (
        10**9,
        3 * 10**9,
        {"a": 1},
    )


def test_a_wait_that_nobody_began_or_ended_stands_alone_and_is_never_negative(
    listener: Listener,
) -> None:
    span_of_the_past("wait", trace.INVALID_SPAN_CONTEXT, (3.0, 1.0), {})
    wait = listener.span("wait")
    assert wait.parent is None and list(wait.links) == []
    assert wait.start_time == wait.end_time


def test_a_line_has_its_fields_as_attributes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="adk_stream_protocol.events")
    log_event("turn ended", chunks=3)
    (record,) = caplog.records
    assert (record.getMessage(), vars(record)["chunks"]) == ("turn ended", 3)


def test_a_line_that_nobody_wants_is_not_made(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="adk_stream_protocol.events")
    log_event("turn ended", message="a name that logging keeps for itself")
    assert caplog.records == []


def test_a_name_is_of_opentelemetry_where_it_has_one() -> None:
    assert instruments.TOOL.startswith("gen_ai.") and instruments.OUTCOME.startswith("adk_stream.")
