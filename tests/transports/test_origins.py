"""Hosts and origins: a browser's page of another name, scheme or port is not ours."""

import pytest
from starlette.requests import HTTPConnection

from adk_stream_protocol.errors import ForbiddenHost, ForbiddenOrigin
from adk_stream_protocol.transports.origins import Origins


def connection(host: str | None, *origins: str, scheme: str = "http") -> HTTPConnection:
    headers = [(b"origin", origin.encode("latin-1")) for origin in origins]
    if host is not None:
        headers.append((b"host", host.encode("latin-1")))
    return HTTPConnection({"type": "http", "scheme": scheme, "headers": headers})


ANY = Origins.of((), None)
FRIENDS = Origins.of(["https://friend.example", "http://friend.example:8080"], None)
LOCAL = Origins.of((), ["localhost", "*.localhost", "127.0.0.1", "[::1]"])


@pytest.mark.parametrize(
    ("host", "origin", "scheme"),
    [
        ("here.example", "http://here.example", "http"),
        ("here.example:80", "http://here.example", "http"),
        ("here.example", "http://here.example:80", "ws"),
        ("HERE.example:8000", "http://here.example:8000", "http"),
        ("here.example", "https://here.example:443", "wss"),
        ("[::1]:8000", "http://[::1]:8000", "http"),
        ("here.example", "https://friend.example", "http"),
        ("here.example", "http://friend.example:8080", "http"),
    ],
)
def test_the_same_origin_and_allowed_ones_come_in(host: str, origin: str, scheme: str) -> None:
    FRIENDS.check(connection(host, origin, scheme=scheme))


@pytest.mark.parametrize(
    "origin",
    [
        "https://here.example",
        "http://here.example:8000",
        "http://friend.example",
        "https://friend.example:8443",
        "https://friend.example.evil.example",
        "https://evil.example/friend.example",
        "https://friend.example/",
        "https://friend.example@evil.example",
        "https://evil.example@friend.example",
        "https://friend.example#",
        "https://friend.example?",
        "https://friend.example\\@evil.example",
        " https://friend.example",
        "https://friend.example, https://evil.example",
        "ftp://friend.example",
        "https:friend.example",
        "//friend.example",
        "friend.example",
        "file://",
        "null",
        "",
        "http://[",
        "http://",
        "http://here.example:",
        "http://here.example:99999999",
        "http://h\xe9re.example",
    ],
)
def test_any_other_origin_is_turned_away(origin: str) -> None:
    with pytest.raises(ForbiddenOrigin):
        FRIENDS.check(connection("here.example", origin))


def test_two_origins_are_none() -> None:
    with pytest.raises(ForbiddenOrigin):
        FRIENDS.check(connection("here.example", "https://friend.example", "http://here.example"))


def test_a_request_without_an_origin_is_no_page() -> None:
    FRIENDS.check(connection("here.example"))
    ANY.check(connection(None))


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8000", "app.localhost", "127.0.0.1:80", "[::1]:9", "localhost."],
)
def test_the_names_of_this_server_are_taken(host: str) -> None:
    LOCAL.check(connection(host))


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evillocalhost",
        "127.0.0.1.evil.example",
        "127.0.0.2",
        "localhost@evil.example",
        "[::2]",
        "[",
        ":80",
        "",
        "local host",
        None,
    ],
)
def test_any_other_name_is_refused(host: str | None) -> None:
    with pytest.raises(ForbiddenHost):
        LOCAL.check(connection(host))


def test_a_rebinding_page_is_refused_even_though_its_origin_is_its_host() -> None:
    with pytest.raises(ForbiddenHost):
        LOCAL.check(connection("evil.example:8000", "http://evil.example:8000"))


def test_two_hosts_are_none() -> None:
    headers = [(b"host", b"localhost"), (b"host", b"evil.example")]
    with pytest.raises(ForbiddenHost):
        LOCAL.check(HTTPConnection({"type": "http", "headers": headers}))


def test_a_star_stands_for_every_name() -> None:
    Origins.of((), ["*"]).check(connection("any.example"))


@pytest.mark.parametrize("origin", ["friend.example", "*", "https://*.example", "https://a.b/c"])
def test_what_is_no_origin_cannot_be_allowed(origin: str) -> None:
    with pytest.raises(ValueError, match="is no origin"):
        Origins.of([origin], None)


@pytest.mark.parametrize("host", ["http://localhost", "localhost:8000", "", "*.", "a.*"])
def test_what_is_no_host_cannot_be_allowed(host: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        Origins.of((), [host])
