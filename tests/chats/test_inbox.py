"""Requests decided outside of their chat: only those that the chat knows of."""

import asyncio
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from adk_stream_protocol import MemoryApprovalStore, Principal
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.inbox import Inbox
from adk_stream_protocol.convert.calls import CONFIRMATION
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.errors import Conflict, UnknownId
from adk_stream_protocol.testing import ScriptedModel

ALICE, BOB = Principal("alice"), Principal("bob")


class Sessions(InMemorySessionService):
    """Holds or loses the event that asks."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = False
        self.open = asyncio.Event()
        self.asking = asyncio.Event()

    async def append_event(self, session: Session, event: Event) -> Event:
        if any(call.name == CONFIRMATION for call in event.get_function_calls()):
            self.asking.set()
            await self.open.wait()
            if self.fails:
                raise OSError("the disk is gone")
        return await super().append_event(session, event)


class Office:
    """A chat whose agent pays, and the inbox beside it."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.sessions = Sessions()
        self.store = MemoryApprovalStore()
        approvals = ApprovalBook(self.store)
        tool = FunctionTool(self.pay, require_confirmation=True)
        agent = LlmAgent(name="assistant", model=ScriptedModel(), tools=[tool])
        runner = build_runner(agent, self.sessions, approvals)
        self.chat = Chats(runner, approvals)
        self.inbox = Inbox(runner, approvals, self.chat)

    def pay(self, amount: int) -> dict[str, Any]:
        """Pay."""
        self.paid.append(amount)
        return {"paid": amount}

    async def ask(self) -> ApprovalRecord:
        """Begin a turn that asks, up to the moment when its event would be stored."""
        said = types.Content(role="user", parts=[types.Part(text='/call pay {"amount": 5}')])
        await self.chat.open_turn(ALICE, "c1", TurnInput(content=said), "native")
        async with asyncio.timeout(60):
            await self.sessions.asking.wait()
        (record,) = await self.store.listed(None, None)
        return record

    async def rest(self) -> None:
        turn = self.chat.running("alice", "c1")
        if turn and turn.task:
            await asyncio.wait([turn.task], timeout=60)

    async def state(self, record: ApprovalRecord) -> State:
        found = await self.store.get(record.id)
        assert found is not None
        return found.state


async def test_a_decision_lets_the_chat_go_on() -> None:
    office = Office()
    office.sessions.open.set()
    record = await office.ask()
    await office.rest()
    assert [one.id for one in await office.inbox.waiting(ALICE)] == [record.id]
    assert await office.inbox.waiting(BOB) == []
    with pytest.raises(UnknownId):
        await office.inbox.decide(BOB, record.id, True, None)
    decided = await office.inbox.decide(ALICE, record.id, True, None)
    await office.rest()
    assert decided.state is State.APPROVED and office.paid == [5]
    assert await office.state(record) is State.DONE
    await office.chat.close()


async def test_a_request_that_is_being_asked_cannot_be_decided_yet() -> None:
    office = Office()
    record = await office.ask()
    with pytest.raises(Conflict, match="not ready yet"):
        await office.inbox.decide(ALICE, record.id, True, None)
    assert await office.state(record) is State.PENDING
    office.sessions.open.set()
    await office.rest()
    assert (await office.inbox.decide(ALICE, record.id, True, None)).state is State.APPROVED
    await office.rest()
    assert office.paid == [5]
    await office.chat.close()


async def test_a_request_whose_event_was_lost_is_closed() -> None:
    office = Office()
    office.sessions.fails = True
    office.sessions.open.set()
    record = await office.ask()
    await office.rest()
    with pytest.raises(Conflict, match="before anyone saw this request"):
        await office.inbox.decide(ALICE, record.id, True, None)
    assert await office.state(record) is State.CANCELLED and office.paid == []
    assert await office.inbox.waiting(ALICE) == []
    await office.chat.close()
