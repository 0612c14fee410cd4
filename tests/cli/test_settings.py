"""What the command reads from its environment."""

import socket
from argparse import Namespace
from pathlib import Path

import pytest

from adk_stream_protocol.cli.settings import (
    default_state,
    has_model_key,
    log_settings,
    model_service,
    settings_of,
    uses_vertex,
)
from adk_stream_protocol.demo.app import LOOPBACK, DemoSettings
from adk_stream_protocol.demo.cannot_start import CannotStart

ARGUMENTS = Namespace(state=Path("state"), model="gemini-2.5-flash")


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {})


def test_an_empty_environment_gives_the_defaults() -> None:
    assert settings_of(ARGUMENTS) == DemoSettings(
        Path("state"), model="gemini-2.5-flash", allowed_hosts=LOOPBACK
    )
    assert default_state() == Path(".state")
    assert log_settings() == ("warning", "text")
    assert model_service() == "https://generativelanguage.googleapis.com"
    assert not has_model_key() and not uses_vertex()


def test_variables_change_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {
        "ADK_STREAM_LIVE_CALLS": "parallel",
        "ADK_STREAM_DISCONNECT_GRACE": "1.5",
        "ADK_STREAM_DATABASE_URL": "postgresql://db",
        "ADK_STREAM_REDIS_URL": "redis://cache",
        "PAYMENT_SINK_URL": "http://sink",
        "ADK_STREAM_DEMO_USERS": "ann| ben,",
        "ADK_STREAM_ALLOWED_ORIGINS": "http://a, http://b",
        "ADK_STREAM_ALLOWED_HOSTS": "chat.example",
        "ADK_STREAM_MAX_BODY": "1000",
        "ADK_STREAM_APPROVAL_TTL": "5",
        "ADK_STREAM_CLIENT_TOOL_TTL": "6",
        "ADK_STREAM_RECENT_EVENTS": "7",
    }
    monkeypatch.setattr("os.environ", environment)
    assert settings_of(ARGUMENTS) == DemoSettings(
        state=Path("state"),
        model="gemini-2.5-flash",
        live_calls="parallel",
        disconnect_grace=1.5,
        database_url="postgresql://db",
        redis_url="redis://cache",
        payment_sink_url="http://sink",
        users=("ann", "ben"),
        allowed_origins=("http://a", "http://b"),
        allowed_hosts=(*LOOPBACK, "chat.example"),
        max_body=1000,
        approval_ttl=5,
        client_tool_ttl=6,
        recent_events=7,
    )


def test_what_the_environment_says_of_logs_and_of_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment = {
        "ADK_STREAM_STATE": "elsewhere",
        "ADK_STREAM_LOG_LEVEL": "DEBUG",
        "ADK_STREAM_LOG_FORMAT": "json",
        "GEMINI_API_KEY": "key",
        "GOOGLE_GENAI_USE_VERTEXAI": "True",
        "GOOGLE_GEMINI_BASE_URL": "https://near",
    }
    monkeypatch.setattr("os.environ", environment)
    assert default_state() == Path("elsewhere")
    assert log_settings() == ("debug", "json")
    assert has_model_key() and uses_vertex() and model_service() == "https://near"


WRONG = [
    ("LIVE_CALLS", "both", "sequential or parallel"),
    ("LOG_FORMAT", "xml", "text or json"),
    ("LOG_LEVEL", "loud", "warning, debug, info, error or critical"),
    ("MAX_BODY", "ten", "a whole number from 1 to"),
    ("MAX_BODY", "0", "a whole number from 1 to"),
    ("MAX_BODY", "2.5", "a whole number from 1 to"),
    ("MAX_BODY", "99999999999", "a whole number from 1 to"),
    ("RECENT_EVENTS", "-1", "a whole number from 0 to"),
    ("APPROVAL_TTL", "-1", "a number from"),
    ("APPROVAL_TTL", "nan", "a number from"),
    ("CLIENT_TOOL_TTL", "inf", "a number from"),
    ("DISCONNECT_GRACE", "-0.5", "a number from"),
]


@pytest.mark.parametrize(("name", "value", "expected"), WRONG)
def test_a_wrong_value_is_named(
    name: str, value: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {f"ADK_STREAM_{name}": value})
    with pytest.raises(CannotStart) as refused:
        settings_of(ARGUMENTS)
        log_settings()
    assert f"ADK_STREAM_{name} is '{value}'; set it to {expected}" in str(refused.value)


@pytest.mark.parametrize(
    ("host", "name"),
    [("0.0.0.0", socket.gethostname()), ("::1", "[::1]"), ("10.1.2.3", "10.1.2.3")],
)
def test_what_the_server_listens_on_is_a_name_of_it(host: str, name: str) -> None:
    arguments = Namespace(**vars(ARGUMENTS), host=host)
    assert name in (settings_of(arguments).allowed_hosts or ())


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("STATE", "MAX_BODY", "APPROVAL_TTL", "LIVE_CALLS", "LOG_LEVEL", "DATABASE_URL")
    monkeypatch.setattr("os.environ", {f"ADK_STREAM_{name}": "" for name in names})
    assert settings_of(ARGUMENTS) == DemoSettings(
        Path("state"), model="gemini-2.5-flash", allowed_hosts=LOOPBACK
    )
    assert default_state() == Path(".state") and log_settings() == ("warning", "text")


def test_an_empty_list_of_users_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {"ADK_STREAM_DEMO_USERS": ""})
    assert settings_of(ARGUMENTS).users == ()
