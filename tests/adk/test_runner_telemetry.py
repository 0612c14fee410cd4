"""Telemetry is cheap while nobody listens, and as configured as soon as somebody does."""

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pytest import MonkeyPatch

from adk_stream_protocol.adk.runner import AS_CONFIGURED, UNHEARD, telemetry


def test_nobody_listens_until_a_provider_is_set(monkeypatch: MonkeyPatch) -> None:
    assert telemetry() is UNHEARD
    provider = TracerProvider()
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    assert telemetry() is AS_CONFIGURED
