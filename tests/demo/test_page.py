"""The page as the demo serves it. What it does in a browser is tested in `web/e2e`."""

import gzip
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.testclient import TestClient

from adk_stream_protocol.demo.identity import COOKIE, demo_identify, sign
from adk_stream_protocol.demo.page import page_routes

SECRET = b"a secret of 32 bytes or so ......"
SCRIPT = "export const words = 1;\n" * 100


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "assets" / "index-abc.js").write_text(SCRIPT)
    return tmp_path


def visit(built: Path, secret: bytes | None = None) -> TestClient:
    return TestClient(Starlette(routes=page_routes(secret, built)))


def known_as(client: TestClient) -> str | None:
    """The name that the cookie of the first visit gives, on the second one."""
    cookie = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie
    again = client.get("/")
    assert "set-cookie" not in again.headers
    sent = Request(
        {"type": "http", "headers": [(b"cookie", again.request.headers["cookie"].encode())]}
    )
    return demo_identify((), SECRET)(sent)


def test_the_page_allows_no_script_but_its_own(built: Path) -> None:
    answer = visit(built).get("/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = dict(
        part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_page_is_asked_for_anew_and_its_files_are_kept(built: Path) -> None:
    client = visit(built)
    assert client.get("/").headers["cache-control"] == "no-cache"
    script = client.get("/assets/index-abc.js")
    assert script.text == SCRIPT
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["x-content-type-options"] == "nosniff"


def test_the_files_travel_compressed(built: Path) -> None:
    with visit(built).stream("GET", "/assets/index-abc.js") as answer:
        raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw).decode() == SCRIPT


@pytest.mark.parametrize("path", ["/assets/other.js", "/assets/../../app.py", "/assets/%2e%2e/x"])
def test_nothing_else_is_served(built: Path, path: str) -> None:
    assert visit(built).get(path).status_code == 404


def test_a_page_that_was_not_built_says_so(tmp_path: Path) -> None:
    client = visit(tmp_path)
    answer = client.get("/")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "has not been built" in answer.text and "make demo" in answer.text
    assert client.get("/assets/index.js").status_code == 404


def test_each_browser_becomes_a_user_of_its_own(built: Path) -> None:
    names = {known_as(visit(built, SECRET)) for _ in range(2)}
    assert len(names) == 2
    assert all(name and name.startswith("guest-") for name in names)


def test_a_cookie_of_another_state_folder_is_replaced(built: Path) -> None:
    client = visit(built, SECRET)
    client.cookies.set(COOKIE, sign("guest-old", b"another secret"))
    assert client.get("/").headers["set-cookie"].startswith(f"{COOKIE}=guest-")


def test_without_a_secret_nobody_is_introduced(built: Path) -> None:
    assert "set-cookie" not in visit(built).get("/").headers
