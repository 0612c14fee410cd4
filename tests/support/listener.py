"""OpenTelemetry's own SDK behind our instruments, in memory: what a listener would get."""

import logging
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer

from adk_stream_protocol.telemetry import instruments

GAUGES = ("active_turns", "active_live_sessions", "open_approvals")
COUNTERS = ("gated_calls", "replayed_chunks", "dropped_chunks")
HISTOGRAMS = ("turn_duration", "decision_duration", "browser_call_duration")


class Listener:
    """Hears everything until the test ends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        self._spans = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._spans))
        self.tracer: Tracer = provider.get_tracer("test")
        monkeypatch.setattr(instruments, "tracer", self.tracer)
        self._reader = InMemoryMetricReader()
        meter = MeterProvider([self._reader]).get_meter("test")
        for name in GAUGES:
            monkeypatch.setattr(instruments, name, meter.create_up_down_counter(name))
        for name in COUNTERS:
            monkeypatch.setattr(instruments, name, meter.create_counter(name))
        for name in HISTOGRAMS:
            monkeypatch.setattr(instruments, name, meter.create_histogram(name))
        self._log = caplog
        caplog.set_level(logging.INFO, logger="adk_stream_protocol.events")

    def spans(self) -> list[ReadableSpan]:
        """The spans that have ended, oldest first."""
        return list(self._spans.get_finished_spans())

    def span(self, name: str) -> ReadableSpan:
        """The only span of that name."""
        (found,) = (span for span in self.spans() if span.name == name)
        return found

    def measured(self, name: str) -> list[tuple[dict[str, Any], float]]:
        """The labels and values of an instrument: a sum, or how much a histogram has counted."""
        data = self._reader.get_metrics_data()
        return [
            (dict(point.attributes or {}), _value(point))
            for resource in (data.resource_metrics if data else [])
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]

    def lines(self) -> list[str]:
        """What was logged."""
        return [record.getMessage() for record in self._log.records]


def _value(point: Any) -> float:
    return point.sum if isinstance(point, HistogramDataPoint) else point.value
