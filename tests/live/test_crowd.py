"""Many open sockets beside running streams: nothing is lost, nothing changes places."""

import asyncio
from contextlib import AsyncExitStack

from google.adk.agents import LlmAgent

from adk_stream_protocol.testing import ScriptedModel
from tests.support.clients.socket import SocketChat, said
from tests.support.servers.in_process import serving

OPEN, RUNNING, DELTAS = 500, 20, 120


async def test_500_open_sockets_beside_20_streams_lose_and_reorder_nothing() -> None:
    agent = LlmAgent(name="clerk", model=ScriptedModel())
    async with serving(agent) as served, AsyncExitStack() as stack:

        async def opened(number: int) -> SocketChat:
            return await stack.enter_async_context(served.socket(who=f"user-{number}"))

        idle = [await opened(number) for number in range(OPEN)]
        running = [await opened(OPEN + number) for number in range(RUNNING)]
        await asyncio.gather(*(count(client, DELTAS) for client in running))
        await asyncio.gather(*(count(client, 3) for client in idle[:: OPEN // 20]))
        assert all(client.connection.close_code is None for client in idle)


async def count(client: SocketChat, deltas: int) -> None:
    """A turn of numbered deltas, each in a frame with the next number."""
    request_id = await client.start(said(f"/say {deltas}"))
    sequence, words = 0, ""
    while (frame := await client.frame(request_id))["type"] == "chunk":
        assert frame["sequence"] == sequence
        sequence += 1
        if frame["chunk"]["type"] == "text-delta":
            words += frame["chunk"]["delta"]
    assert frame["type"] == "end", frame
    assert words.split() == [str(number) for number in range(1, deltas + 1)]
