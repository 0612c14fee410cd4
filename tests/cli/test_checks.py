"""The command started wrongly, as a newcomer does it: one sentence, exit code 2, no traceback."""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.servers.demo import COMMAND, DemoServer
from tests.support.servers.recorder import run_command

pytestmark = pytest.mark.processes

NOWHERE = "127.0.0.1:1"
"""Nobody listens on this port."""
SECRET = "a-password-of-mine"
KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI")


def refusal(folder: Path, *arguments: str, before: tuple[str, ...] = (), **environment: str) -> str:
    """Start `adk-stream` in a folder. It must refuse; return its sentence."""
    inherited = {name: value for name, value in os.environ.items() if name not in KEYS}
    found = subprocess.run(
        [*before, COMMAND, *arguments],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (found.returncode, found.stdout) == (2, ""), found
    return sentence_of(found.stderr)


def sentence_of(printed: str) -> str:
    assert "Traceback" not in printed
    (sentence,) = printed.splitlines()
    assert sentence.startswith("adk-stream") and sentence.endswith(".")
    assert SECRET not in sentence
    return sentence


@pytest.fixture
def main(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """The same in this process, which has imported everything already."""

    def refused(*arguments: str, **environment: str) -> str:
        monkeypatch.chdir(tmp_path)
        for name in KEYS:
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert run_command(*arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        return sentence_of(printed.err)

    return refused


BAD_ARGUMENTS = [
    (["--port", "99999"], "--port: '99999' is not a whole number from 0 to 65535"),
    (["--port", "http"], "--port: 'http' is not a whole number from 0 to 65535"),
    (["--workers", "0"], "--workers: '0' is not a whole number from 1 to 256"),
    (["--host", "no such host"], "--host no such host is not a name or address of this machine"),
    (["--host", "192.0.2.1"], "--host 192.0.2.1 is not an address of this machine"),
    (["--model", "gemini-2.5-flash"], "--model gemini-2.5-flash needs a key; set GOOGLE_API_KEY"),
    (["--live-model", "gemini-2.5-flash"], "--live-model gemini-2.5-flash needs a key"),
    (["--model", "no-such-model"], "--model no-such-model names no model that ADK knows"),
    (["--wrong"], "unrecognized arguments: --wrong"),
    (["--state", "file"], "the state folder file cannot be used (not a folder: file)"),
    (["--state", "file/state"], "file/state cannot be used (not a folder: file/state)"),
    (["--state", "/proc/state"], "/proc/state cannot be used (no such file or directory"),
]


@pytest.mark.parametrize(("arguments", "reason"), BAD_ARGUMENTS)
def test_a_wrong_argument_is_refused(
    arguments: list[str], reason: str, main: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    assert reason in main("demo", "--port", "0", *arguments)


BAD_VARIABLES = [
    ("ADK_STREAM_LOG_LEVEL", "loud", "set it to warning, debug, info, error or critical"),
    ("ADK_STREAM_MAX_BODY", "-1", "set it to a whole number from 1 to"),
    ("ADK_STREAM_ALLOWED_ORIGINS", "a.example", "'a.example', which is no origin; write it as"),
    ("ADK_STREAM_ALLOWED_ORIGINS", "https://a.example/", "write it as https://host"),
    ("PAYMENT_SINK_URL", "a.example/pay", "not an address that can be posted to"),
    ("PAYMENT_SINK_URL", "ftp://a.example", "not an address that can be posted to"),
    ("PAYMENT_SINK_URL", f"http://x:{SECRET}@a.example:99999", "not an address"),
    ("ADK_STREAM_DATABASE_URL", SECRET, "write it as postgresql+asyncpg://"),
    ("ADK_STREAM_DATABASE_URL", f"postgresql://u:{SECRET}@db/app", "an asynchronous driver"),
    ("ADK_STREAM_DATABASE_URL", f"nosql://u:{SECRET}@db/app", "an asynchronous driver"),
    (
        "ADK_STREAM_DATABASE_URL",
        f"postgresql+asyncpg://u:{SECRET}@{NOWHERE}/app",
        f"postgresql+asyncpg://u:***@{NOWHERE}/app cannot be reached (connection refused); start",
    ),
    ("ADK_STREAM_DATABASE_URL", "sqlite+aiosqlite:///no/such.sqlite3", "no/such.sqlite3"),
    ("ADK_STREAM_REDIS_URL", SECRET, "write it as redis://host:6379/0"),
    (
        "ADK_STREAM_REDIS_URL",
        f"redis://:{SECRET}@{NOWHERE}/0",
        f"Redis at redis://{NOWHERE}/0 cannot be reached (connection refused); start it",
    ),
]


@pytest.mark.parametrize(("name", "value", "reason"), BAD_VARIABLES)
def test_a_wrong_variable_is_refused(
    name: str, value: str, reason: str, main: Callable[..., str]
) -> None:
    assert reason in main("demo", "--port", "0", **{name: value})


def test_the_command_says_no_more_than_its_sentence(tmp_path: Path) -> None:
    """Nothing that it imports or starts speaks besides it."""
    model = ("--model", "gemini-2.5-flash")
    assert "needs a key" in refusal(tmp_path, "demo", *model)
    address = f"redis://:{SECRET}@{NOWHERE}/0"
    assert "connection refused" in refusal(tmp_path, "demo", ADK_STREAM_REDIS_URL=address)


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o500)
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:  # root can write anywhere, unless it gives up that right
        if not (setpriv := shutil.which("setpriv")):
            pytest.skip("setpriv is missing")
        before = (setpriv, "--bounding-set=-dac_override,-dac_read_search")
    said = refusal(tmp_path, "demo", "--state", "state", before=before)
    assert "the state folder state cannot be used (permission denied:" in said


@pytest.mark.parametrize("name", ["sessions", "approvals"])
def test_a_file_that_is_no_database_is_refused(name: str, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / f"{name}.sqlite3").write_text("Dear diary, this is a text and not a database. " * 9)
    said = refusal(tmp_path, "demo", "--state", "state")
    assert f"state/{name}.sqlite3 cannot be opened (file is not a database); move it away" in said


@pytest.mark.parametrize("content", [b"", b"short"])
def test_a_key_that_anybody_knows_is_refused(content: bytes, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "cookie.key").write_bytes(content)
    said = refusal(tmp_path, "demo", "--state", "state")
    assert "the key file state/cookie.key is empty or too short" in said and "delete it" in said


def test_approvals_are_looked_for_where_there_are_some(
    main: Callable[..., str], tmp_path: Path
) -> None:
    said = main("approvals", "list", "--state", "elsewhere")
    assert "there are no approvals in elsewhere; name the demo's folder" in said
    said = main("approvals", "list", ADK_STREAM_DATABASE_URL=SECRET)
    assert "ADK_STREAM_DATABASE_URL is not an address" in said
    assert not (tmp_path / "elsewhere").exists()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_state_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Also what an earlier version left open, and whatever the mask says."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    for name in ("wallet.sqlite3", "approvals.sqlite3", "approvals.sqlite3-wal"):
        (state / name).touch()
        (state / name).chmod(0o644)
    before = os.umask(0o000)
    try:
        server = DemoServer(state).start()
    finally:
        os.umask(before)
    try:
        files = {file.name: mode(file) for file in state.iterdir()}
    finally:
        server.stop()
    assert {"cookie.key", "sessions.sqlite3", "approvals.sqlite3", "wallet.sqlite3"} <= set(files)
    assert set(files.values()) == {0o600}, files


def test_a_new_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    server = DemoServer(tmp_path / "new" / "state").start()
    server.stop()
    assert mode(tmp_path / "new" / "state") == 0o700
