"""The command and its environment: what is read, and what is refused in plain words."""

import sys
from pathlib import Path

import pytest

from adk_stream_protocol.cli.main import app, main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["adk-stream", *arguments])
    main()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_STREAM_STATE", str(tmp_path))


def test_help_names_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, "--help")
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("demo", "approvals", "record", "replay"))


def test_a_command_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch)
    assert ended.value.code == 2


def test_several_workers_need_redis(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, "demo", "--workers", "2")
    assert ended.value.code == 2
    assert "--workers 2 needs ADK_STREAM_REDIS_URL" in capsys.readouterr().err


def test_an_app_for_any_server_comes_from_the_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_STREAM_LIVE_CALLS", "parallel")
    monkeypatch.setenv("ADK_STREAM_ALLOWED_ORIGINS", "https://a.example | https://b.example,")
    monkeypatch.setattr(sys, "argv", ["uvicorn", "--not-ours"])
    paths = {getattr(route, "path", "") for route in app().routes}
    assert {"/api/chat", "/live", "/healthz"} <= paths


def test_an_app_for_any_server_is_refused_in_plain_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ADK_STREAM_DATABASE_URL", "nonsense")
    with pytest.raises(SystemExit) as ended:
        app()
    assert ended.value.code == 2
    assert "ADK_STREAM_DATABASE_URL is not an address" in capsys.readouterr().err
