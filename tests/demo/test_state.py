"""The demo's state folder, and what is said of one that is open to others."""

import logging
from pathlib import Path

import pytest

from adk_stream_protocol.demo.app import DemoSettings
from adk_stream_protocol.demo.cannot_start import CannotStart
from adk_stream_protocol.demo.identity import load_secret
from adk_stream_protocol.demo.state import prepare_state, warn_if_open


def test_a_folder_open_to_others_is_said_and_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o755)
    with caplog.at_level(logging.WARNING):
        warn_if_open(tmp_path)
    assert f"chmod 700 {tmp_path} closes it" in caplog.text
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_closed_folder_is_not_worth_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    prepare_state(tmp_path / "state", [])
    with caplog.at_level(logging.WARNING):
        warn_if_open(tmp_path / "state")
    assert not caplog.records


def test_the_files_are_those_of_the_databases(tmp_path: Path) -> None:
    names = {file.name for file in DemoSettings(tmp_path).files}
    assert names == {"wallet.sqlite3", "sessions.sqlite3", "approvals.sqlite3"}
    own = tmp_path / "own.sqlite3"
    settings = DemoSettings(tmp_path, database_url=f"sqlite+aiosqlite:///{own}")
    assert settings.files == [tmp_path / "wallet.sqlite3", own]
    settings = DemoSettings(tmp_path, database_url="postgresql+asyncpg://db/app")
    assert settings.files == [tmp_path / "wallet.sqlite3"]


def test_a_key_is_kept_and_closed_to_others(tmp_path: Path) -> None:
    key = load_secret(tmp_path)
    (tmp_path / "cookie.key").chmod(0o644)
    assert load_secret(tmp_path) == key and len(key) == 32
    assert (tmp_path / "cookie.key").stat().st_mode & 0o777 == 0o600


def test_a_key_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "cookie.key").mkdir()
    with pytest.raises(CannotStart, match="cannot be read or written"):
        load_secret(tmp_path)
