"""Who talks to the demo: a name that is known, a cookie that is ours, or the local user."""

import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection

from adk_stream_protocol.demo.identity import COOKIE, demo_identify, load_secret, sign

SECRET = b"k" * 32
IDENTIFY = demo_identify(["alice", "bob"], SECRET)


def connection(**headers: str) -> HTTPConnection:
    raw: list[Any] = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "headers": raw})


def with_cookie(value: str) -> HTTPConnection:
    return connection(cookie=f"{COOKIE}={value}")


@pytest.mark.parametrize(
    ("header", "who"),
    [
        ("Bearer alice", "alice"),
        ("bearer bob", "bob"),
        ("Bearer mallory", None),
        ("Bearer ", None),
        ("Basic alice", None),
        ("alice", None),
    ],
)
def test_a_bearer_is_a_known_name_or_nobody(header: str, who: str | None) -> None:
    assert IDENTIFY(connection(authorization=header)) == who


def test_a_bearer_counts_more_than_a_cookie() -> None:
    asked = connection(authorization="Bearer mallory", cookie=f"{COOKIE}={sign('alice', SECRET)}")
    assert IDENTIFY(asked) is None


def test_without_anything_it_is_the_local_user() -> None:
    assert IDENTIFY(connection()) == "local"


names = st.text("abcdefghijklmnopqrstuvwxyz0123456789-.", min_size=1, max_size=20)


@given(names)
def test_a_signed_name_is_that_name(name: str) -> None:
    assert IDENTIFY(with_cookie(sign(name, SECRET))) == name


@given(names, names, st.binary(min_size=1, max_size=32))
def test_a_cookie_that_was_made_or_changed_elsewhere_is_nobody(
    name: str, other: str, key: bytes
) -> None:
    if key != SECRET:
        assert IDENTIFY(with_cookie(sign(name, key))) is None
    if other != name:
        signature = sign(name, SECRET).rpartition(".")[2]
        assert IDENTIFY(with_cookie(f"{other}.{signature}")) is None
    assert IDENTIFY(with_cookie(name)) is None


def test_the_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    key = load_secret(tmp_path)
    assert len(key) == 32 and load_secret(tmp_path) == key
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_workers_that_start_together_have_one_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one was there between the look and the link."""
    theirs = load_secret(tmp_path)

    def is_not_there_yet(path: Path) -> bool:
        return False

    monkeypatch.setattr(Path, "exists", is_not_there_yet)
    assert load_secret(tmp_path) == theirs
    assert [one.name for one in tmp_path.iterdir()] == ["cookie.key"]
