"""The list of chats and their deletion over HTTP, and who may see which chat."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.adk.sessions.base_session_service import BaseSessionService
from sqlalchemy.exc import OperationalError

from adk_stream_protocol import Principal
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.chats.archive import MAX_TITLES_READ, TITLE
from tests.support.clients.http import decision
from tests.support.servers.history import LOCATE, PAY, SERVICES, Stored, session_service


@pytest.fixture(params=SERVICES)
async def sessions(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[BaseSessionService]:
    async with session_service(request.param, tmp_path) as service:
        yield service


PATHS = [("GET", "/api/chat/c/messages"), ("DELETE", "/api/chat/c")]


@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_a_foreign_chat_is_like_an_unknown_one(method: str, path: str) -> None:
    served = Stored()
    await served.say("hello")
    await served.open_chat("theirs", "hello", who="bob")
    foreign = await served.request(method, path, who="bob")
    unknown = await served.request(method, path, who="nobody")
    assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert foreign.headers["x-error-code"] == unknown.headers["x-error-code"] == "unknown"
    assert len(await served.messages()) == 2


@pytest.mark.parametrize(("method", "path"), [*PATHS, ("GET", "/api/chats")])
async def test_identity_and_origin_are_asked_for(method: str, path: str) -> None:
    served = Stored()
    await served.say("hello")
    assert (await served.request(method, path, who="")).status_code == 401
    transport = httpx.ASGITransport(served.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        headers = {"origin": "https://evil.example"}
        assert (await client.request(method, path, headers=headers)).status_code == 403
    assert len(await served.messages()) == 2


async def test_a_chat_id_may_hold_a_slash() -> None:
    served = Stored()
    await served.open_chat("a/b c?", "hello")
    assert len(await served.messages(chat="a%2Fb%20c%3F")) == 2
    assert (await served.request("DELETE", "/api/chat/a%2Fb%20c%3F")).status_code == 204


async def test_a_list_of_chats_newest_first(sessions: BaseSessionService) -> None:
    served = Stored(session_service=sessions)
    await served.open_chat("one", "First  things\nfirst")
    await served.open_chat("two", "Second")
    await served.open_chat("theirs", "Secret", who="bob")
    await served.open_chat("one", "and more")
    found = (await served.request("GET", "/api/chats")).json()
    assert [(one["id"], one["title"]) for one in found] == [
        ("one", "First things first"),
        ("two", "Second"),
    ]
    assert found[0]["updated"] > found[1]["updated"]
    assert (await served.request("GET", "/api/chats", who="carol")).json() == []


async def test_a_kept_title_spares_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Stored()
    for number in range(MAX_TITLES_READ + 2):
        await served.make_chat(f"c{number}")
        await served.open_chat(f"c{number}", f"chat {number}")
    await served.make_chat("kept", {TITLE: "Kept"})
    reads: list[str] = []
    read = served.sessions.get_session

    async def get_session(**key: Any) -> Any:
        reads.append(key["session_id"])
        return await read(**key)

    monkeypatch.setattr(served.sessions, "get_session", get_session)

    async def titles() -> dict[str, str]:
        found = (await served.request("GET", "/api/chats")).json()
        return {one["id"]: one["title"] for one in found}

    first = await titles()
    assert first["kept"] == "Kept" and list(first.values()).count("") == 2
    assert "kept" not in reads and len(reads) == MAX_TITLES_READ
    assert (await titles())["c0"] == "chat 0"
    assert len(reads) == MAX_TITLES_READ + 2
    await titles()
    assert len(reads) == MAX_TITLES_READ + 2


async def test_a_chat_that_says_nothing_has_no_title() -> None:
    served = Stored()
    await served.make_chat("empty")
    assert [one["title"] for one in (await served.request("GET", "/api/chats")).json()] == [""]


async def test_deleting_a_chat_cancels_what_is_pending(sessions: BaseSessionService) -> None:
    served = Stored(PAY, LOCATE, session_service=sessions)
    (request,) = (await served.say('/call pay {"amount": 5}')).approvals
    assert (await served.request("DELETE", "/api/chat/c")).status_code == 204
    assert await served.states() == ["cancelled"]
    record = await served.store.get(request["approvalId"])
    assert record is not None and record.reason == "the chat was deleted"
    assert (await served.request("GET", "/api/chat/c/messages")).status_code == 404
    assert (await served.request("GET", "/api/chats")).json() == []
    assert (await served.decide(request["approvalId"], True, "alice", "")).status_code == 409


async def test_deleting_a_chat_that_the_browser_works_for() -> None:
    served = Stored(LOCATE)
    (request,) = (await served.say("/call locate {}")).approvals
    await served.answer_with(decision(request, True, "locate"))
    assert (await served.request("DELETE", "/api/chat/c")).status_code == 204
    assert await served.states() == ["unknown"]


async def test_deleting_a_chat_stops_its_turn() -> None:
    async def hang() -> None:
        """Never ends."""
        began.set()
        await asyncio.Event().wait()

    began = asyncio.Event()
    served = Stored(hang)
    turn = asyncio.create_task(served.say("/call hang {}"))
    await asyncio.wait_for(began.wait(), 60)
    assert (await served.request("DELETE", "/api/chat/c")).status_code == 204
    assert (await asyncio.wait_for(turn, 60)).types[-1] == "finish"
    assert (await served.request("DELETE", "/api/chat/c")).status_code == 404


async def test_a_chat_whose_tool_runs_elsewhere_is_not_deleted() -> None:
    served = Stored(PAY)
    (request,) = (await served.say('/call pay {"amount": 5}')).approvals
    record = await served.store.get(request["approvalId"])
    assert record is not None
    approvals = served.chat.book
    decided = await approvals.decide(record, Principal("alice"), True, None)
    assert await approvals.claim(decided, {"amount": 5}, "another-host:1:1")
    busy = await served.request("DELETE", "/api/chat/c")
    assert (busy.status_code, busy.headers["x-error-code"]) == (409, "busy")
    assert await served.states() == [State.EXECUTING.value]
    assert len(await served.messages()) == 2


@pytest.mark.parametrize(("method", "path"), [*PATHS, ("GET", "/api/chats")])
async def test_a_store_that_does_not_answer(
    method: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(**key: Any) -> Any:
        raise OperationalError("select", {}, Exception("down"))

    served = Stored()
    await served.say("hello")
    monkeypatch.setattr(served.sessions, "get_session", down)
    monkeypatch.setattr(served.sessions, "list_sessions", down)
    answer = await served.request(method, path)
    assert (answer.status_code, answer.headers["x-error-code"]) == (503, "unavailable")
