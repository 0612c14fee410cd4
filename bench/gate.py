"""What the approval gate adds to a tool call: records on SQLite, and nothing for other tools."""

import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from google.adk.agents import LlmAgent
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol import Principal, SqlApprovalStore
from adk_stream_protocol.adk.gate import ApprovalGate
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.protocol.messages import parse_request
from adk_stream_protocol.testing import ScriptedModel
from bench.bare_sqlite import BareSqlite
from bench.report import Bars, heading, progress, row
from bench.slices import Spread

BATCHES, CALLS = 5, 40
USER = Principal("bench")


class Watch:
    """Adds up the time that the gate spends in its two callbacks around a tool."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        for name in ("before_tool_callback", "after_tool_callback"):
            setattr(ApprovalGate, name, self._timed(getattr(ApprovalGate, name)))

    def _timed(self, callback):
        async def timed(gate, **arguments):
            begun = time.perf_counter()
            try:
                return await callback(gate, **arguments)
            finally:
                call_id = arguments["tool_context"].function_call_id
                self.spent[call_id] = self.spent.get(call_id, 0) + time.perf_counter() - begun

        return timed

    def take(self) -> list[float]:
        """Return the milliseconds of each call since the last time."""
        spent, self.spent = self.spent, {}
        return [1e3 * seconds for seconds in spent.values()]


def pay(amount: int) -> dict[str, int]:
    """Pay."""
    return {"paid": amount}


def look(amount: int) -> dict[str, int]:
    """Look."""
    return {"seen": amount}


def run(bars: Bars) -> None:
    """Print the table and set the bars."""
    progress("the approval gate")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(bars, Path(folder)))


async def _measure(bars: Bars, folder: Path) -> None:
    store = SqlApprovalStore(f"sqlite+aiosqlite:///{folder / 'approvals.sqlite3'}")
    approvals, watch = ApprovalBook(store), Watch()
    tools = [FunctionTool(pay, require_confirmation=True), look]
    agent = LlmAgent(name="bench", model=ScriptedModel(), tools=tools)
    chat = Chats(build_runner(agent, InMemorySessionService(), approvals), approvals)
    bare = BareSqlite(folder / "bare.sqlite3")
    gated: list[float] = []
    below: list[float] = []
    others: list[float] = []
    turns: list[float] = []
    for batch in range(BATCHES):
        for number in range(CALLS):
            await _pay(chat, f"{batch}-{number}")
        gated.append(_p95(watch.take()))
        below.append(_p95([bare.call() for _ in range(CALLS)]))
        for number in range(CALLS):
            begun = time.perf_counter()
            await _turn(chat, f"look-{batch}-{number}", {"content": '/call look {"amount": 1}'})
            turns.append(1e3 * (time.perf_counter() - begun))
        others.append(median(watch.take()))
    await store.close()
    bare.close()
    shares = Spread.of(spent / median(turns) for spent in others)
    _report(bars, Spread.of(gated), Spread.of(below), shares)


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


def _report(bars: Bars, gated: Spread, below: Spread, others: Spread) -> None:
    heading("Approval gate: time in its callbacks around one tool call")
    row("gated, SQLite, p95 ms", gated)
    row("its two commits on bare SQLite", below)
    row("not gated, share of the turn", others)
    bars.at_most("gate, added to a gated call on SQLite, p95", gated, 5, unit="ms")
    bars.at_most("gate, added to other calls, share of their turn", others, 0.02)


async def _pay(chat: Chats, chat_id: str) -> None:
    asked = await _turn(chat, chat_id, {"content": '/call pay {"amount": 1}'})
    request = next(chunk for chunk in asked if hasattr(chunk, "approval_id"))
    result = {
        "type": "tool-result",
        "toolCallId": request.approval_id,
        "result": {"approved": True},
    }
    await _turn(chat, chat_id, {"content": [result]})


async def _turn(chat: Chats, chat_id: str, message: dict[str, object]) -> list[object]:
    body = json.dumps({"message": {"role": "user", **message}}).encode()
    turn = await chat.open_turn(USER, chat_id, decode_turn(parse_request(body)), "native")
    return [chunk async for batch in turn.batches(60) for chunk in batch]
