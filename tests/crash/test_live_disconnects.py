"""Two hundred clients that vanish at any point of an approval, and come back or do not."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from sqlalchemy import event

from adk_stream_protocol import SqlApprovalStore, idempotency_key
from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.approvals.sql import harden_sqlite
from tests.support.clients.http import Json, Reply, decision
from tests.support.clients.socket import SocketChat
from tests.support.servers.in_process import Served, clerk, responses, serving, until

CASES, AT_ONCE = 100, 8
GRACE, LONGEST = 0.03, 0.04
"""Seconds: of the grace, and the longest from an event to the disconnect."""
PAY = '/call pay {"amount": 1}'

Point = ["asking", "asked", "answering", "answered", "done"]
Return = ["http", "socket", "outside", "message", "never"]


class Payments:
    """The tool, and the key of each of its starts."""

    def __init__(self, chance: random.Random) -> None:
        self.starts: Counter[str] = Counter()
        self._chance = chance

    def tool(self) -> FunctionTool:
        async def pay(amount: float, tool_context: ToolContext) -> dict[str, float]:
            """Pay."""
            self.starts[idempotency_key(tool_context)] += 1
            await asyncio.sleep(self._chance.random() * LONGEST)
            return {"paid": amount}

        return FunctionTool(pay, require_confirmation=True)


class Case:
    """One chat, what its user says to the request, and what of it was acknowledged."""

    def __init__(self, served: Served, number: int, chance: random.Random) -> None:
        self._served = served
        self._chance = chance
        self.chat = f"c{number}"
        self.verdict: bool | None = chance.choice([True, True, True, False, None])
        self.point = chance.choice(Point if self.verdict is not None else Point[:2])
        self.way_back = chance.choice(Return)
        self.acknowledged = False
        self.request: Json | None = None

    async def play(self) -> None:
        async with self._served.socket(self.chat) as socket:
            await self._leave_at_the_point(socket)
            await socket.vanish()
        await self._pause(3)
        if self.way_back == "message":
            await self._say_when_free("hello")
        elif self.way_back != "never" and self.request and self.verdict is not None:
            await self._say_again(self.request, self.verdict)
        await until(lambda: not self._served.is_live(self.chat))

    async def _leave_at_the_point(self, socket: SocketChat) -> None:
        asking = await socket.start_saying(PAY)
        if self.point == "asking":
            return await self._pause()
        self.request = await socket.chunk(asking, "tool-approval-request")
        if self.point == "asked" or self.verdict is None:
            return await self._pause()
        answering = await socket.start_answering(self._part(self.request, self.verdict))
        if self.point == "answering":
            await self._pause()
        elif self.point == "answered":
            await socket.chunk(answering, "start")
            await self._pause()
        else:
            assert (await socket.reply(answering)).status == 200
        self.acknowledged = socket.has_begun(answering)

    async def _pause(self, times: float = 1) -> None:
        await asyncio.sleep(self._chance.random() * LONGEST * times)

    def _part(self, request: Json, verdict: bool) -> Json:
        return decision(request, verdict, "pay")

    async def _say_again(self, request: Json, verdict: bool) -> None:
        """The same verdict once more, as a page does that does not know what became of it."""
        if self.way_back == "outside":
            answer = await self._served.decide(request["approvalId"], verdict)
            assert answer.status_code in (200, 409), answer.text
            self.acknowledged |= answer.status_code == 200
        elif self.way_back == "http":
            reply = await self._served.answer(self._part(request, verdict), chat=self.chat)
            self._took(reply)
        else:
            async with self._served.socket(self.chat) as socket:
                self._took(await socket.answer(self._part(request, verdict)))

    def _took(self, reply: Reply) -> None:
        assert reply.status == 200 or "busy" in reply.text or "conflict" in reply.text, reply.text
        self.acknowledged |= reply.status == 200

    async def _say_when_free(self, text: str) -> Reply:
        replies: list[Reply] = []

        async def taken() -> bool:
            replies.append(await self._served.say(text, self.chat))
            assert replies[-1].status in (200, 409), replies[-1].text
            return replies[-1].status == 200

        await until(taken)
        return replies[-1]

    async def check(self, payments: Payments, record: ApprovalRecord | None) -> State | None:
        """Does what the user said, what is stored, what ran and what is told agree?"""
        await self._say_when_free("hello")
        answers = responses(await self._served.context(self.chat))
        if record is None:
            assert not self.request and not answers
            return None
        record = await self._served.chat.book.store.get(record.id)
        assert record is not None and len(answers) <= 1, answers
        told = answers[0] if answers else {}
        assert payments.starts[record.idempotency_key] == (record.state is State.DONE)
        match record.state:
            case State.DONE:
                assert self.verdict is True and told == {"paid": 1}
            case State.DENIED:
                assert self.verdict is False and "denied" in told["error"]
            case State.LAPSED:
                assert self.verdict is True and "cancelled" in told["error"]
            case state:
                assert state is State.CANCELLED and not self.acknowledged
                assert "cancelled" in told.get("error", "cancelled")
        return record.state


@asynccontextmanager
async def paying(
    folder: Path, payments: Payments, calls: str
) -> AsyncGenerator[tuple[Served, SqlApprovalStore]]:
    """A server with stores that take their time, as real ones do."""
    store = SqlApprovalStore(f"sqlite+aiosqlite:///{folder / 'approvals'}")
    sessions = DatabaseSessionService(f"sqlite+aiosqlite:///{folder / 'sessions'}")
    event.listen(sessions.db_engine.sync_engine, "connect", harden_sqlite)
    options: Any = {"approval_store": store, "session_service": sessions, "grace": GRACE}
    try:
        async with serving(clerk(payments.tool()), calls=calls, **options) as served:
            yield served, store
    finally:
        await sessions.close()


@pytest.mark.parametrize(("calls", "seed"), [("sequential", 1), ("parallel", 2)])
async def test_clients_that_vanish_at_any_time(tmp_path: Path, seed: int, calls: str) -> None:
    chance = random.Random(seed)
    payments = Payments(chance)
    async with paying(tmp_path, payments, calls) as (served, store):
        before = asyncio.all_tasks()
        cases = [Case(served, number, chance) for number in range(CASES)]
        limit = asyncio.Semaphore(AT_ONCE)

        async def play(case: Case) -> None:
            async with limit:
                await case.play()

        await asyncio.gather(*map(play, cases))
        await until(lambda: asyncio.all_tasks() <= before)
        records = {record.session: record for record in await store.listed(None, 10_000)}
        ends = [await case.check(payments, records.get(case.chat)) for case in cases]
        assert {State.DONE, State.DENIED, State.CANCELLED} <= set(ends), "the dice are bad"
        assert max(payments.starts.values()) == 1
        assert sum(payments.starts.values()) == ends.count(State.DONE)
