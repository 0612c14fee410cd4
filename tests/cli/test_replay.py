"""`adk-stream replay`: what it says of files that play, differ or cannot be played."""

import json
from pathlib import Path

import pytest

from tests.support.gemini.files import WIRE
from tests.support.servers.recorder import run_command

FILE = WIRE / "http" / "payment-approved.json"


def test_a_file_that_plays_is_ok(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("replay", FILE) == 0
    assert capsys.readouterr().out == f"{FILE}: OK\n"


def test_a_file_that_is_none_fails_and_the_others_are_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torn.json").write_text("{")
    assert run_command("replay", tmp_path / "torn.json", tmp_path / "absent.json", FILE) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line.rpartition(" ")[2] for line in printed if line.startswith("/")] == [
        "PLAYED",
        "PLAYED",
        "OK",
    ]
    assert printed[-1] == "1 of 3 OK"


def test_what_comes_now_is_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    content = json.loads(FILE.read_text(encoding="utf-8"))
    content["turns"][0]["chunks"] = []
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(content), encoding="utf-8")
    assert run_command("replay", changed) == 1
    assert run_command("replay", changed, "--update") == 0
    assert run_command("replay", changed) == 0


def test_a_header_has_a_name_and_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("replay", FILE, "--header", "no colon") == 2
    assert "NAME:VALUE is expected" in capsys.readouterr().err
