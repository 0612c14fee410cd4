"""Stopped or broken at the worst moment: the chat goes on, and nothing runs twice or unsaid."""

import asyncio
from typing import Any

import pytest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol import MemoryApprovalStore
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.store import AuditEntry
from tests.support.servers.without_network import Served, agent
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


class Slow(MemoryApprovalStore):
    """Stands still just before or after it has written one event."""

    def __init__(self, event: str, after: bool) -> None:
        super().__init__()
        self._event, self._after = event, after
        self.there = asyncio.Event()

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        if entry.event != self._event or self.there.is_set():
            return await super().move(before, after, entry)
        moved = await super().move(before, after, entry) if self._after else False
        self.there.set()
        await asyncio.sleep(30)
        return moved


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("event", ["approve", "claim", "result"])
async def test_stop_while_an_event_is_written(event: str, written: bool) -> None:
    till, store = Till(), Slow(event, written)
    served = Served(agent(till.tool()), approval_store=store)
    asked = await served.say(PAY)
    answer = asyncio.create_task(served.answer(asked.approvals, True))
    await asyncio.wait_for(store.there.wait(), 60)
    if event == "approve":
        answer.cancel()  # no turn runs yet: the client has gone
        await asyncio.wait([answer])
    else:
        await served.stop()
        await answer
    again = await served.answer(asked.approvals, True)
    assert again.status in (200, 409), again.text
    reply = await served.say("/echo")
    assert "error" not in reply.types, reply.text
    assert len(till.paid) <= 1
    # Whatever was claimed is reported as what it is: paid, or not known. Never as not run.
    if till.paid or (event, written) == ("claim", True):
        assert "outcome_unknown" in reply.said or '"paid": 5' in reply.said
    (record,) = await store.listed(None, 9)
    assert record.is_settled, record.state


async def test_stop_while_the_tool_runs_leaves_an_unknown_outcome() -> None:
    running = asyncio.Event()

    async def pay(amount: int) -> dict[str, int]:
        """Pay slowly."""
        running.set()
        await asyncio.sleep(30)
        return {"paid": amount}

    served = Served(agent(FunctionTool(pay, require_confirmation=True)))
    asked = await served.say(PAY)
    answer = asyncio.create_task(served.answer(asked.approvals, True))
    await asyncio.wait_for(running.wait(), 60)
    await served.stop()
    await answer
    assert (await served.store.listed(None, 1))[0].state.value == "unknown"
    assert "outcome_unknown" in (await served.say("/echo")).said


async def broken(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> None:
    """A callback of the application's that fails, once the call is claimed."""
    if tool_context.tool_confirmation is not None:
        raise RuntimeError("not today")


async def test_a_broken_callback_after_the_claim_does_not_block_the_chat() -> None:
    till = Till()
    served = Served(agent(till.tool(), before_tool_callback=broken))
    asked = await served.say(PAY)
    await served.answer(asked.approvals, True)
    assert till.paid == []
    reply = await served.say("hello")
    assert "error" not in reply.types, reply.text
