"""Answers made again and messages written anew: what the model and the page see afterwards."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.adk.rewind import rewind
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.chats.archive import TITLE
from adk_stream_protocol.convert.events import NOTES
from adk_stream_protocol.convert.history.exchanges import exchanges
from adk_stream_protocol.convert.history.ui_messages import ui_messages
from tests.support.databases.postgres import PostgresServer
from tests.support.sdk.context import ModelContext
from tests.support.servers.without_network import Served, agent


def content(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def pay(amount: int) -> dict[str, int]:
    """Pay."""
    return {"paid": amount}


def note(value: str, tool_context: ToolContext) -> dict[str, str]:
    """Keep something in mind."""
    tool_context.state["noted"] = value
    return {"noted": value}


class Desk(Served):
    """A chat whose messages can be said again, with what a chat would use for it."""

    def __init__(self, sessions: BaseSessionService) -> None:
        tools = [FunctionTool(pay, require_confirmation=True), note]
        super().__init__(agent(*tools), session_service=sessions)
        self.stored = sessions
        self.runner = build_runner(self.root, sessions, self.chat.book)

    async def session(self) -> Session:
        found = await self.stored.get_session(app_name="clerk", user_id="alice", session_id="c")
        assert found is not None
        return found

    async def again(self, *ids: str, new: str | None = None) -> types.Content | None:
        """Go back to a message, then run what is said there now."""
        session, sessions = await self.session(), self.runner.session_service
        assert isinstance(sessions, TurnSessions)
        history = OpenTurn(sessions, session, self.chat.book, ChatCalls())
        await history.read_records()
        await history.cancel_open()
        said = await rewind(self.runner, session, ids, content(new) if new else None)
        if said:
            history.hand_over()
            run = self.runner.run_async(user_id="alice", session_id="c", new_message=said)
            assert [event async for event in run]
        return said

    async def page(self) -> list[str]:
        """The texts of the messages."""
        found = ui_messages((await self.session()).events, {})
        return ["".join(part.get("text", "") for part in one["parts"]) for one in found]

    async def context(self) -> ModelContext:
        return ModelContext(json.loads((await self.say("/echo")).said))

    async def said_ids(self) -> list[str]:
        return [one.user_message_id for one in exchanges((await self.session()).events)]


POSTGRES = pytest.param("postgres", marks=pytest.mark.processes)


@pytest.fixture(params=["memory", "sqlite", "database", POSTGRES])
async def desk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Desk]:
    match request.param:
        case "memory":
            yield Desk(InMemorySessionService())
        case "sqlite":
            yield Desk(SqliteSessionService(str(tmp_path / "s.db")))
        case kind:
            url = f"sqlite+aiosqlite:///{tmp_path / 'd.db'}"
            if kind == "postgres":
                server: PostgresServer = request.getfixturevalue("postgres")
                url = server.url
            sessions = DatabaseSessionService(url)
            yield Desk(sessions)
            await sessions.delete_session(app_name="clerk", user_id="alice", session_id="c")
            await sessions.close()


@pytest.fixture
def quick() -> Desk:
    """For what does not depend on the store."""
    return Desk(InMemorySessionService())


async def test_the_last_answer_made_again(desk: Desk) -> None:
    await desk.say("hello")
    await desk.say("/say 2")
    before = await desk.page()
    assert await desk.again() == content("/say 2")
    assert await desk.page() == before
    assert (await desk.context()).texts("user") == ["hello", "/say 2", "/echo"]


async def test_an_earlier_message_written_anew(desk: Desk) -> None:
    await desk.say("hello")
    await desk.say("/say 2")
    await desk.say("/say 3")
    first, second, _ = await desk.said_ids()
    assert await desk.again(second, new="/say 4") == content("/say 4")
    assert (await desk.page())[2:] == ["/say 4", "1 2 3 4 "]
    assert (await desk.context()).texts("user") == ["hello", "/say 4", "/echo"]
    assert await desk.again(first, new="/say 1") == content("/say 1")
    assert await desk.page() == ["/say 1", "1 "]
    assert (await desk.context()).texts("user") == ["/say 1", "/echo"]


async def test_an_open_request_is_closed_with_its_message(desk: Desk) -> None:
    (request,) = (await desk.say('/call pay {"amount": 5}')).approvals
    await desk.again(new="/say 1")
    record = await desk.store.get(request["approvalId"])
    assert record is not None and record.state == "cancelled"
    assert await desk.page() == ["/say 1", "1 "]
    assert (await desk.answer([request], True)).status == 409
    context = await desk.context()
    context.assert_paired()
    assert context.responses("pay") == []


async def test_a_request_is_made_again_and_answered(desk: Desk) -> None:
    (old,) = (await desk.say('/call pay {"amount": 5}')).approvals
    await desk.again()
    (open_record, _) = sorted(
        await desk.store.listed(None, 10), key=lambda one: one.state != "pending"
    )
    new = {"approvalId": open_record.id, "toolCallId": open_record.call_id}
    done = await desk.answer([new], True)
    assert done.of_type("tool-output-available")[0]["output"] == {"paid": 5}
    assert open_record.call_id != old["toolCallId"]
    (await desk.context()).assert_paired()


async def test_what_a_tool_kept_in_mind_is_forgotten(desk: Desk) -> None:
    await desk.say('/call note {"value": "a"}')
    await desk.say('/call note {"value": "b"}')
    await desk.again(new="/say 1")
    assert (await desk.session()).state["noted"] == "a"


async def test_the_answer_names_its_question(quick: Desk) -> None:
    await quick.say("hello")
    await quick.say("/say 2")
    ids = [one.message_id for one in exchanges((await quick.session()).events)]
    assert await quick.again("unknown", ids[0]) == content("hello")
    assert len(await quick.page()) == 2


async def test_an_unknown_message_changes_nothing(quick: Desk) -> None:
    await quick.say("hello")
    stored = len((await quick.session()).events)
    assert await quick.again("unknown") is None
    assert len((await quick.session()).events) == stored


async def test_what_nobody_said_cannot_be_said_again(quick: Desk) -> None:
    await quick.stored.create_session(app_name="clerk", user_id="alice", session_id="c")
    assert await quick.again() is None
    assert (await quick.session()).events == []


async def test_the_state_a_chat_was_made_with_stays(desk: Desk) -> None:
    made = {"tier": "gold", TITLE: "Hello"}
    await desk.stored.create_session(app_name="clerk", user_id="alice", session_id="c", state=made)
    await desk.say("hello")
    await desk.say("more")
    await desk.again(new="/say 1")
    assert (await desk.session()).state == made
    first, _ = await desk.said_ids()
    await desk.again(first, new="Good  evening")
    await desk.again(new="Good night")
    assert (await desk.session()).state == {"tier": "gold", TITLE: "Good night"}


class Live:
    """The events of a live run: one invocation for all its turns."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add(self, *events: dict[str, Any]) -> None:
        session = await self._desk.session()
        for fields in events:
            event = Event.model_validate({"invocation_id": "live", "author": "clerk", **fields})
            await self._desk.stored.append_event(session, event)


def heard(text: str) -> dict[str, Any]:
    return {"author": "user", "input_transcription": {"text": text, "finished": True}}


def spoke(text: str) -> dict[str, Any]:
    return {"output_transcription": {"text": text, "finished": True}}


async def test_one_turn_of_a_live_run_is_taken_back(desk: Desk) -> None:
    await desk.say("hello")
    over = {"turn_complete": True}
    notes = {NOTES: {"messageId": "m-live"}}
    live = Live(desk)
    await live.add(heard("One?"), spoke("One.") | {"custom_metadata": notes}, over)
    await live.add(heard("Two?"), spoke("Two."), over, heard("Three?"), spoke("Three."), over)
    names = await desk.said_ids()
    assert await desk.again(names[2], new="/say 1") == content("/say 1")
    assert (await desk.page())[2:] == ["One?", "One.", "/say 1", "1 "]
    assert (await desk.said_ids())[:2] == names[:2]
    assert exchanges((await desk.session()).events)[1].message_id == "m-live"
    assert (await desk.context()).texts("user") == ["hello", "One?", "/say 1", "/echo"]
    assert await desk.again(names[1]) == content("One?")
    assert (await desk.page())[2] == "One?"
