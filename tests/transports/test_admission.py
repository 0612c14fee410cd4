"""Admission: who comes in, with how much, and how a refusal is answered."""

from collections.abc import Awaitable, Callable

import pytest
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from adk_stream_protocol import Principal
from adk_stream_protocol.errors import Busy
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.transports.admission import (
    Admission,
    Identify,
    answering_errors,
    approval_style_of,
)
from adk_stream_protocol.transports.origins import Origins

LIMIT = 10
JSON = {"content-type": "application/json"}


def by_header(connection: HTTPConnection) -> str | None:
    return connection.headers.get("x-user")


async def by_token(connection: HTTPConnection) -> Principal:
    return Principal("alice", frozenset({"manager"}))


def served(
    endpoint: Callable[[Admission, Request], Awaitable[str]], identify: Identify = by_header
) -> TestClient:
    admission = Admission(
        identify, Limits(body=LIMIT), Origins.of({"https://friend.example"}, None)
    )

    async def answer(request: Request) -> Response:
        return PlainTextResponse(await endpoint(admission, request))

    app = Starlette(routes=[Route("/", answering_errors(answer), methods=["GET", "POST"])])
    return TestClient(app, raise_server_exceptions=False)


async def who(admission: Admission, request: Request) -> str:
    found = await admission.principal(request, "chat")
    return f"{found.id} {sorted(found.roles)}"


async def body(admission: Admission, request: Request) -> str:
    return (await admission.body(request)).decode()


def test_a_name_or_a_principal_at_once_or_awaited() -> None:
    assert served(who).get("/", headers={"x-user": "alice"}).text == "alice []"
    assert served(who, by_token).get("/").text == "alice ['manager']"


@pytest.mark.parametrize("headers", [{}, {"x-user": ""}])
def test_nobody_is_turned_away(headers: dict[str, str]) -> None:
    found = served(who).get("/", headers=headers)
    assert (found.status_code, found.headers["x-error-code"]) == (401, "unauthenticated")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://testserver", 200),
        ("https://friend.example", 200),
        ("https://friend.example.evil.example", 403),
        ("null", 403),
        ("http://[", 403),
        ("http://", 403),
    ],
)
def test_pages_of_other_origins_are_turned_away(origin: str, status: int) -> None:
    found = served(who).get("/", headers={"x-user": "alice", "origin": origin})
    assert found.status_code == status


@pytest.mark.parametrize(
    ("kind", "status"),
    [("application/json", 200), ("APPLICATION/JSON; charset=utf-8", 200), ("text/plain", 415)],
)
def test_a_body_is_json(kind: str, status: int) -> None:
    found = served(body).post("/", content="{}", headers={"content-type": kind})
    assert found.status_code == status


def test_a_body_has_a_limit() -> None:
    client = served(body)
    assert client.post("/", content="1" * LIMIT, headers=JSON).text == "1" * LIMIT
    assert client.post("/", content="1" * (LIMIT + 1), headers=JSON).status_code == 413


async def style(admission: Admission, request: Request) -> str:
    return str(approval_style_of(request, None))


@pytest.mark.parametrize(
    ("query", "found"),
    [("", "None"), ("?approvals=native", "native"), ("?approvals=adk-tool", "adk-tool")],
)
def test_a_client_may_ask_for_a_style(query: str, found: str) -> None:
    assert served(style).get(f"/{query}").text == found


def test_a_style_that_does_not_exist_is_refused() -> None:
    found = served(style).get("/?approvals=any")
    assert found.status_code == 422 and "native or adk-tool is expected" in found.text


async def busy(admission: Admission, request: Request) -> str:
    raise Busy("Wait.")


async def broken(admission: Admission, request: Request) -> str:
    raise ValueError("a secret")


def test_an_error_of_ours_says_what_it_is() -> None:
    found = served(busy).get("/")
    assert found.status_code == 409 and found.text.startswith("Wait. (busy, reference ")


def test_any_other_error_is_in_the_log_and_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    found = served(broken).get("/")
    assert found.status_code == 500 and "secret" not in found.text
    (record,) = caplog.records
    assert record.getMessage().split()[-2] in found.text
