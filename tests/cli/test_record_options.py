"""What `adk-stream record` is asked for, and what it says where nothing can come of it."""

from pathlib import Path
from typing import Any

import pytest

from adk_stream_protocol.cli import record as module
from adk_stream_protocol.recording.recorder.recorder import Recorder
from tests.support.servers.recorder import run_command

APP = """
from starlette.applications import Starlette

app = Starlette()
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An app of somebody's, by its name."""
    (tmp_path / "quiet_shop.py").write_text(APP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "quiet_shop:app"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Recorder, Any]]:
    """What would be served; nothing is."""
    found: list[tuple[Any, Recorder, Any]] = []

    def serve(app: Any, recorder: Recorder, arguments: Any) -> None:
        found.append((app, recorder, arguments))

    monkeypatch.setattr(module, "_serve", serve)
    return found


def test_a_file_is_never_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "chat.json").touch()
    assert run_command("record", tmp_path / "chat.json") == 2
    assert "does not replace a file" in capsys.readouterr().err


def test_the_folder_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("record", tmp_path / "no" / "chat.json") == 2
    assert "is not a folder that you can write to" in capsys.readouterr().err


def test_vertex_is_not_recorded(
    tmp_path: Path, shop: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    assert run_command("record", tmp_path / "chat.json", "--app", shop) == 2
    assert "not Vertex AI" in capsys.readouterr().err


def test_a_pattern_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command("record", tmp_path / "chat.json", "--redact", "(") == 2
    assert "'(' is not a valid pattern" in capsys.readouterr().err


def test_where_nothing_reached_the_model_nothing_was_recorded(
    tmp_path: Path,
    shop: str,
    served: list[tuple[Any, Recorder, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    varies = ["--varies", "order_id", "--varies", "42"]
    assert run_command("record", tmp_path / "chat.json", "--app", shop, *varies) == 1
    assert "Nothing was recorded" in capsys.readouterr().out
    ((_, recorder, arguments),) = served
    assert recorder.turns == 0 and arguments.varies == ["order_id", "42"]


def test_the_demo_is_recorded_with_its_own_settings(
    tmp_path: Path, served: list[tuple[Any, Recorder, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "not-a-real-key")
    model = ["--model", "gemini-2.5-flash", "--state", str(tmp_path / "state")]
    assert run_command("record", tmp_path / "chat.json", *model) == 1
    assert len(served) == 1 and (tmp_path / "state").is_dir()
