"""mount: FastAPI and Starlette, an agent, an App or a Runner, any session service, any prefix."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from google.adk.agents import LlmAgent
from google.adk.agents.base_agent import BaseAgent
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from starlette.applications import Starlette
from starlette.requests import HTTPConnection

from adk_stream_protocol import Principal, mount, stream_data
from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.protocol.messages import parse_request
from tests.support.clients.http import Reply
from tests.support.polite_model import polite_model


def progress(steps: int) -> dict[str, int]:
    """Count, and say so on the way."""
    for step in range(steps):
        stream_data("progress", {"step": step}, id="p", transient=step == 0)
    return {"steps": steps}


def broken() -> None:
    """Always fails."""
    raise RuntimeError("the password is hunter2")


def agent() -> LlmAgent:
    return LlmAgent(name="helper", model=polite_model(), tools=[progress, broken])


def user(connection: HTTPConnection) -> str | None:
    return connection.headers.get("x-user", "someone")


async def say(app: Starlette, text: str, path: str = "/api/chat") -> Reply:
    transport = httpx.ASGITransport(app)
    body = {"id": "c", "message": {"role": "user", "content": text}}
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        answer = await client.post(path, json=body)
    return Reply(answer.status_code, answer.text)


def bare(sessions: BaseSessionService) -> BaseAgent | App | Runner:
    return agent()


def in_app(sessions: BaseSessionService) -> BaseAgent | App | Runner:
    return App(name="shop", root_agent=agent())


def in_runner(sessions: BaseSessionService) -> BaseAgent | App | Runner:
    return Runner(app=App(name="shop", root_agent=agent()), session_service=sessions)


@pytest.mark.parametrize("framework", [FastAPI, Starlette])
@pytest.mark.parametrize("target", [bare, in_app, in_runner])
async def test_agent_app_and_runner_in_both_frameworks(
    framework: type[Starlette],
    target: Callable[[BaseSessionService], BaseAgent | App | Runner],
) -> None:
    app, sessions = framework(), InMemorySessionService()
    mount(app, target(sessions), identify=user, session_service=sessions)
    assert "Hello" in (await say(app, "hello")).said
    assert "hello" in (await say(app, "/echo")).said


async def test_any_session_service(tmp_path: Path) -> None:
    database = DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    for sessions in (database, SqliteSessionService(str(tmp_path / "b.db"))):
        app = Starlette()
        mount(app, agent(), identify=user, session_service=sessions)
        await say(app, "hello")
        assert "hello" in (await say(app, "/echo")).said
    await database.close()


async def test_a_prefix_and_the_alias() -> None:
    app = Starlette()
    mount(app, agent(), identify=user, session_service=InMemorySessionService(), prefix="/agents/a")
    assert (await say(app, "hello", "/agents/a/api/chat")).types[-1] == "finish"
    assert (await say(app, "hello", "/agents/a/stream")).types[-1] == "finish"
    assert (await say(app, "hello")).status == 404


async def test_identify_may_be_async_and_may_refuse() -> None:
    async def nobody(connection: HTTPConnection) -> str | None:
        return None

    app = Starlette()
    mount(app, agent(), identify=nobody, session_service=InMemorySessionService())
    assert (await say(app, "hello")).status == 401


def test_an_agent_without_a_session_service_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="session_service"):
        mount(Starlette(), agent(), identify=user)


async def test_the_applications_own_runner_stays_as_it_was() -> None:
    runner = Runner(
        app=App(name="shop", root_agent=agent()),
        session_service=(sessions := InMemorySessionService()),
    )
    mount(Starlette(), runner, identify=user)
    assert runner.session_service is sessions
    assert runner.app.plugins == [] and runner.resumability_config is None


async def test_a_tool_sends_data_parts() -> None:
    app = Starlette()
    mount(app, agent(), identify=user, session_service=InMemorySessionService())
    parts = (await say(app, '/call progress {"steps": 2}')).of_type("data-progress")
    assert parts == [
        {"type": "data-progress", "data": {"step": 0}, "id": "p", "transient": True},
        {"type": "data-progress", "data": {"step": 1}, "id": "p"},
    ]
    assert progress(1) == {"steps": 1}


async def test_what_a_tool_raises_is_told_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    app = Starlette()
    mount(app, agent(), identify=user, session_service=InMemorySessionService())
    reply = await say(app, "/call broken")
    assert reply.of_type("tool-output-error")[0]["errorText"].startswith("The tool broken failed")
    assert reply.types[-1] == "finish"
    assert "hunter2" not in reply.text + caplog.text and "tool broken failed" in caplog.text


async def test_a_reader_that_leaves_does_not_end_the_turn() -> None:
    app, sessions = Starlette(), InMemorySessionService()
    chat = mount(app, agent(), identify=user, session_service=sessions)
    body = b'{"message":{"role":"user","content":"/say 3"}}'
    turn = await chat.open_turn(Principal("u"), "c", decode_turn(parse_request(body)), "native")
    assert turn.task is not None
    await turn.task  # nobody read a single chunk
    session = await sessions.get_session(app_name="helper", user_id="u", session_id="c")
    assert session is not None and "1 2 3" in str(session.events)
