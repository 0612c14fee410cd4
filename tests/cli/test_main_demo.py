"""`adk-stream demo`: one process serves, several are kept by a parent."""

import sys
from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.cli import main as module
from adk_stream_protocol.cli.main import main


class Parent:
    """Stands in for the processes: says what would have been run."""

    calls: list[tuple[Any, ...]] = []

    def __init__(self, command: list[str], host: str, port: int) -> None:
        self._made = (command, host, port)

    def run(self, count: int) -> int:
        Parent.calls.append((*self._made, count))
        return 3


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Nothing is started; what would be is in the list."""
    served: list[Any] = []

    def serve(app: Any, *address: Any, fd: int | None = None) -> None:
        served.append((*address, fd))

    monkeypatch.setenv("ADK_STREAM_STATE", str(tmp_path))
    monkeypatch.setattr(module, "serve", serve)
    monkeypatch.setattr(module, "Supervisor", Parent)
    monkeypatch.setattr(Parent, "calls", [])
    return served


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["adk-stream", "demo", *arguments])
    main()


def test_one_process_serves_and_says_where(
    monkeypatch: pytest.MonkeyPatch, alone: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--port", "8123")
    assert alone == [("127.0.0.1", 8123, 10 * 1024 * 1024, None)]
    assert "http://127.0.0.1:8123" in capsys.readouterr().out


def test_a_worker_serves_the_socket_of_its_parent_and_says_nothing(
    monkeypatch: pytest.MonkeyPatch, alone: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--fd", "7")
    assert alone[0][-1] == 7 and capsys.readouterr().out == ""


@pytest.mark.parametrize("database", [None, "postgresql+asyncpg://db.example/chats"])
def test_several_workers_are_the_same_command_with_one(
    database: str | None,
    monkeypatch: pytest.MonkeyPatch,
    alone: list[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ADK_STREAM_REDIS_URL", "redis://redis.example/0")
    if database:
        monkeypatch.setenv("ADK_STREAM_DATABASE_URL", database)
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, "--workers", "3", "--port", "8123")
    assert ended.value.code == 3 and alone == []
    ((command, host, port, count),) = Parent.calls
    assert (host, port, count) == ("127.0.0.1", 8123, 3)
    assert command[-5:] == ["3", "--port", "8123", "--workers", "1"]
    said = capsys.readouterr().out
    assert ("all workers must be on this host" in said) is (database is None)
