"""The chats of one agent with all that stands behind them, in memory and without a transport."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from adk_stream_protocol import MemoryApprovalStore, Principal
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.adk.session_reader import SessionReader
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.store import ApprovalStore
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.live.settings import LiveOptions, live_settings
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.calls import NOTHING
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.protocol.chunks import AnyChunk, TextDelta
from adk_stream_protocol.protocol.sse import encode_json
from adk_stream_protocol.workers.relay import Relay
from tests.support.polite_model import polite_model

ALICE = Principal("alice")
SECONDS = 60.0
"""How long anything may take before a test gives it up."""


class Desk:
    """A clerk on the scripted model, Alice's chats with it, and its stores."""

    def __init__(
        self,
        *tools: Callable[..., Any] | BaseTool,
        store: ApprovalStore | None = None,
        sessions: InMemorySessionService | None = None,
        ttl: float = 600,
        live: LiveOptions | None = None,
        relay: Relay | None = None,
        client_tool_ttl: float = 600,
        **options: Any,
    ) -> None:
        self.store = store or MemoryApprovalStore()
        self.book = ApprovalBook(self.store, ttl=ttl)
        self.inner = sessions or InMemorySessionService()
        agent = LlmAgent(name="clerk", model=polite_model(), tools=list(tools))
        self.runner = build_runner(agent, self.inner, self.book)
        given = live or LiveOptions(modality="text", disconnect_grace=SECONDS)
        self.live_settings = live_settings(self.runner, given, client_tool_ttl)
        self.chats = Chats(
            self.runner,
            self.book,
            live=self.live_settings,
            relay=relay,
            client_tool_ttl=client_tool_ttl,
            **options,
        )

    @property
    def reader(self) -> SessionReader:
        """Reads the sessions as the engines do."""
        assert isinstance(self.runner.session_service, TurnSessions)
        return SessionReader(self.runner.session_service, self.book, None)

    async def open(self, given: TurnInput, *, live: bool = False, chat: str = "c") -> Turn:
        return await self.chats.open_turn(ALICE, chat, given, "native", live=live)

    async def say(self, text: str, *, live: bool = False, chat: str = "c") -> list[AnyChunk]:
        """Say something, and read the turn to its end."""
        return await read(await self.open(message(text), live=live, chat=chat))

    async def answer(self, *answers: Answer, live: bool = False) -> list[AnyChunk]:
        """Answer what is open, and read the turn to its end."""
        return await read(await self.open(TurnInput(answers=answers), live=live))

    async def session(self, chat: str = "c") -> Session:
        found = await self.inner.get_session(app_name="clerk", user_id="alice", session_id=chat)
        assert found is not None
        return found

    async def record(self) -> ApprovalRecord:
        """The one record there is."""
        (found,) = await self.store.listed(None, None)
        return found

    async def states(self) -> list[str]:
        return [one.state.value for one in await self.store.listed(None, None)]

    async def close(self) -> None:
        await self.chats.close()


def message(text: str) -> TurnInput:
    """A new message of the user's."""
    return TurnInput(content=types.Content(role="user", parts=[types.Part(text=text)]))


def verdict(record: ApprovalRecord, approved: bool = True) -> Answer:
    """A yes or no to a request."""
    return Answer((record.id,), "$", approved=approved)


def result(call_id: str, value: Any = NOTHING, **fields: Any) -> Answer:
    """What a browser sends for its call."""
    return Answer((call_id,), "$", value=value, **fields)


async def read(turn: Turn) -> list[AnyChunk]:
    """All chunks of a turn."""
    async with asyncio.timeout(SECONDS):
        return [chunk async for batch in turn.batches(SECONDS) for chunk in batch]


def kinds(chunks: list[AnyChunk]) -> list[str]:
    """What the chunks are called on the wire."""
    return [as_json(chunk)["type"] for chunk in chunks]


def as_json(chunk: AnyChunk) -> dict[str, Any]:
    """A chunk as a client sees it."""
    return json.loads(encode_json(chunk))


def said(chunks: list[AnyChunk]) -> str:
    return "".join(chunk.delta for chunk in chunks if isinstance(chunk, TextDelta))


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Let the other tasks run until it is so, but not for ever."""
    async with asyncio.timeout(SECONDS):
        while True:
            found = condition()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0)
