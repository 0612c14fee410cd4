"""Stopping a turn: it ends at once, and what was said stays said."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from google.adk.agents import LlmAgent
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

from adk_stream_protocol import MemoryApprovalStore, Principal
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.protocol.chunks import AnyChunk, Finish, TextDelta
from adk_stream_protocol.testing import ScriptedModel

WHO = Principal("alice")


@asynccontextmanager
async def served() -> AsyncGenerator[Chats]:
    approvals = ApprovalBook(MemoryApprovalStore())
    agent = LlmAgent(name="assistant", model=ScriptedModel())
    chat = Chats(build_runner(agent, InMemorySessionService(), approvals), approvals)
    try:
        yield chat
    finally:
        await chat.close()


async def say(chat: Chats, text: str) -> Turn:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return await chat.open_turn(WHO, "c1", TurnInput(content=content), "native")


async def rest(turn: Turn) -> list[AnyChunk]:
    async with asyncio.timeout(60):
        return [chunk async for batch in turn.batches(5) for chunk in batch]


async def until_it_hangs(turn: Turn, said: int) -> None:
    reader = turn.reader()
    seen = 0
    async with asyncio.timeout(60):
        while seen < said:
            seen += sum(isinstance(one, TextDelta) for one in await reader.next(5) or [])
    reader.close()


async def test_what_was_said_before_a_stop_stays_in_the_conversation() -> None:
    async with served() as chat:
        turn = await say(chat, "/say 3\n/hang 60\n/say 2")
        await until_it_hangs(turn, 3)
        assert await chat.stop("alice", "c1")
        chunks = await rest(turn)
        said = "".join(one.delta for one in chunks if isinstance(one, TextDelta))
        assert isinstance(chunks[-1], Finish) and chunks[-1].finish_reason == "other"
        echo = await rest(await say(chat, "/echo"))
        listing = json.loads("".join(one.delta for one in echo if isinstance(one, TextDelta)))
        texts = [part["text"] for one in listing["contents"] for part in one["parts"]]
        assert said and texts[1] == said


async def test_a_stop_without_a_turn_says_so() -> None:
    async with served() as chat:
        assert not await chat.stop("alice", "c1")


async def test_a_reader_that_comes_late_gets_everything() -> None:
    async with served() as chat:
        turn = await say(chat, "/say 5\n/hang 60")
        await until_it_hangs(turn, 5)
        assert chat.running("alice", "c1") is turn and turn.is_whole
        late = asyncio.create_task(rest(turn))
        await asyncio.sleep(0)
        await chat.stop("alice", "c1")
        assert await late == await rest(turn)
        assert chat.running("alice", "c1") is None
