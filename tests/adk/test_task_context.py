"""Tools reach their chat through the task that runs them, and nothing from elsewhere."""

import asyncio
from typing import Any

from adk_stream_protocol.adk.task_context import (
    current_chat,
    current_message_id,
    current_run,
    enter,
    stream_data,
)
from adk_stream_protocol.telemetry.turns import UNOBSERVED, Entered


class Run:
    """What a tool may run for."""

    chat = ("alice", "c")
    message_id = "m1"
    observed: Entered = UNOBSERVED

    def __init__(self) -> None:
        self.data: list[tuple[str, Any, str | None, bool]] = []

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None:
        self.data.append((name, data, id, transient))


async def test_a_task_and_those_it_starts_know_what_they_run_for() -> None:
    run = Run()

    async def tool() -> None:
        assert current_run() is run
        assert (current_chat(), current_message_id()) == (("alice", "c"), "m1")
        stream_data("progress", 5, id="p", transient=True)

    async def work() -> None:
        enter(run)
        await asyncio.create_task(tool())

    await asyncio.create_task(work())
    assert run.data == [("progress", 5, "p", True)]
    assert current_run() is None


def test_outside_of_a_chat_nothing_happens() -> None:
    stream_data("progress", 5)
    assert (current_run(), current_chat(), current_message_id()) == (None, None, "")
