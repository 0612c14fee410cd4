"""Tools reach their chat through the task that runs them, and nothing from elsewhere."""

import asyncio
from typing import Any

from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol import idempotency_key
from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.adk.task_context import Run, bind_to_task, current_run, stream_data
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.telemetry.turns import UNTRACED
from tests.support.conversations.conversation import Conversation
from tests.support.servers.in_process import clerk


async def test_a_task_and_those_it_starts_know_what_they_run_for() -> None:
    sent: list[tuple[str, Any, str | None, bool]] = []

    def send(name: str, data: Any, id: str | None, transient: bool) -> None:
        sent.append((name, data, id, transient))

    run = Run(ChatId("shop", "alice", "c"), ChatCalls(), UNTRACED, send)

    async def tool() -> None:
        assert current_run() is run
        stream_data("progress", 5, id="p", transient=True)

    async def work() -> None:
        bind_to_task(run)
        await asyncio.create_task(tool())

    await asyncio.create_task(work())
    assert sent == [("progress", 5, "p", True)]
    assert current_run() is None


def test_outside_of_a_chat_nothing_happens() -> None:
    stream_data("progress", 5)
    assert current_run() is None


async def test_a_call_has_one_key_and_every_call_its_own() -> None:
    keys: list[tuple[str, str]] = []

    def pay(tool_context: ToolContext) -> None:
        """Pay."""
        keys.append((idempotency_key(tool_context), idempotency_key(tool_context)))

    chat = Conversation(clerk(pay))
    await chat.say("/call pay {}")
    await chat.say("/call pay {}")
    (first, again), (second, _) = keys
    assert first == again != second
    assert len(first) == 64 and first.isascii()
