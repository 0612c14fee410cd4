"""Who may open a socket. The others are turned away with a status, before it is one."""

from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.support.servers.demo import DemoServer


def open_socket(demo: DemoServer, query: str = "", **headers: Any) -> ClientConnection:
    return connect(
        f"ws://127.0.0.1:{demo.port}/live{query}", additional_headers=headers, open_timeout=60
    )


def refusal(demo: DemoServer, query: str = "", **headers: Any) -> tuple[int, str, str]:
    with pytest.raises(InvalidStatus) as refused, open_socket(demo, query, **headers):
        pass
    response = refused.value.response
    text = response.body.decode() if response.body else ""
    return response.status_code, response.headers["x-error-code"], text


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "file://"])
def test_a_page_of_another_origin_is_403(demo: DemoServer, origin: str) -> None:
    status, code, text = refusal(demo, origin=origin)
    assert (status, code) == (403, "origin")
    assert text.startswith("This page is not allowed to use this server. (origin, reference ")


def test_a_page_of_this_origin_and_a_client_without_one_may_come_in(demo: DemoServer) -> None:
    for headers in ({"origin": demo.url}, {}):
        with open_socket(demo, **headers) as socket:
            socket.send('{"type":"ping"}')
            assert socket.recv(20) == '{"type":"pong","version":"1.0"}'


@pytest.mark.parametrize("token", ["Bearer mallory", "Basic YTpi", "Bearer", "alice"])
def test_somebody_unknown_is_401(demo: DemoServer, token: str) -> None:
    status, code, text = refusal(demo, authorization=token)
    assert (status, code) == (401, "unauthenticated")
    assert text.startswith("Please sign in. (unauthenticated, reference ")


def test_a_forged_cookie_is_401(demo: DemoServer) -> None:
    assert refusal(demo, cookie="adk_stream_user=alice.0123")[:2] == (401, "unauthenticated")


@pytest.mark.parametrize("query", ["?approvals=both", "?chatId=%20", "?chatId=" + "x" * 129])
def test_an_address_that_makes_no_sense_is_422(demo: DemoServer, query: str) -> None:
    assert refusal(demo, query)[:2] == (422, "malformed")
