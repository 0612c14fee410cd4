"""A turn costs the bridge the same, however long the chat has been going on."""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types

import adk_stream_protocol
from adk_stream_protocol import ClientTool, MemoryApprovalStore, Principal
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.protocol import messages, strict_json
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Error,
    ToolApprovalRequest,
    ToolInputStart,
)
from tests.support.clients.http import Json, decision, output
from tests.support.servers.in_process import clerk
from tests.support.tills import Till

ROOT = str(Path(adk_stream_protocol.__file__).parent)
NOT_OURS = (f"{ROOT}/testing/", str(strict_json.__file__))
"""The model of the tests; and reading a body is as much work as the body is long."""
FEW, MANY = 10, 1_000
SLACK = (MANY - FEW) // 4
"""Lines. How often a reader wakes up depends on the machine; one line for each turn is far more."""


class Reads(InMemorySessionService):
    """Counts how often a session is read."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    async def get_session(self, **names: Any) -> Session | None:
        self.count += 1
        return await super().get_session(**names)


class OldChat:
    """A chat with many turns behind it, which its page sends along each time."""

    def __init__(self, turns: int, recent: int | None) -> None:
        self.turns = turns
        self.sessions = Reads()
        approvals, till = ApprovalBook(MemoryApprovalStore()), Till()
        agent = clerk(till.tool(), ClientTool("locate", "Where?"), look)
        config = GetSessionConfig(num_recent_events=recent) if recent else None
        self._chat = Chats(
            build_runner(agent, self.sessions, approvals),
            approvals,
            run_config=RunConfig(streaming_mode=StreamingMode.SSE, get_session_config=config),
        )
        self._earlier = [
            {"id": f"{role}-{number}", "role": role, "parts": [{"type": "text", "text": "hello"}]}
            for number in range(turns)
            for role in ("user", "assistant")
        ]

    async def begin(self) -> None:
        await self.sessions.create_session(app_name="clerk", user_id="alice", session_id="c")
        stored = self.sessions.sessions["clerk"]["alice"]["c"].events
        stored += [event for number in range(self.turns) for event in turn(number)]
        await self.say("/say 1")

    async def say(self, text: str) -> list[AnyChunk]:
        message = {"id": "new", "role": "user", "parts": [{"type": "text", "text": text}]}
        return await self._post({"messages": [*self._earlier, message]})

    async def answer(self, part: Json) -> list[AnyChunk]:
        message = {"id": "m", "role": "assistant", "parts": [part]}
        return await self._post({"messages": [*self._earlier, message], "messageId": "m"})

    async def _post(self, body: Json) -> list[AnyChunk]:
        turn_input = decode_turn(messages.parse_request(json.dumps({"id": "c", **body}).encode()))
        async with asyncio.timeout(60):
            opened = await self._chat.open_turn(Principal("alice"), "c", turn_input, "native")
            return [chunk async for batch in opened.batches(30) for chunk in batch]


def look() -> dict[str, bool]:
    """Look."""
    return {"seen": True}


def turn(number: int) -> list[Event]:
    """What one earlier turn left; every tenth with a tool."""
    call = types.FunctionCall(id=f"call-{number}", name="look", args={})
    result = types.FunctionResponse(id=call.id, name="look", response={"seen": True})
    said: list[tuple[str, types.Part]] = [
        ("user", types.Part(text="hello")),
        ("model", types.Part(function_call=call)),
        ("user", types.Part(function_response=result)),
        ("model", types.Part(text="done")),
    ]
    return [
        Event(
            invocation_id=f"e-{number}",
            author="clerk" if index else "user",
            content=types.Content(role=role, parts=[part]),
        )
        for index, (role, part) in enumerate(said if number % 10 == 0 else said[::3])
    ]


class Lines:
    """Counts the lines of the bridge that are executed, each round of a loop anew."""

    def __init__(self) -> None:
        self.count = 0

    def enter(self, frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        name = frame.f_code.co_filename
        return self._line if name.startswith(ROOT) and not name.startswith(NOT_OURS) else None

    def _line(self, frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        self.count += event == "line"
        return self._line


@contextmanager
def counting():
    lines, before = Lines(), sys.gettrace()
    sys.settrace(lines.enter)
    try:
        yield lines
    finally:
        sys.settrace(before)


async def costs(turns: int, recent: int | None) -> dict[str, tuple[int, int]]:
    """Lines executed and sessions read, by what is done."""
    chat = OldChat(turns, recent)
    await chat.begin()
    found: dict[str, tuple[int, int]] = {}

    async def measure(name: str, job: Callable[[], Any]) -> list[AnyChunk]:
        reads = chat.sessions.count
        with counting() as lines:
            chunks: list[AnyChunk] = await job()
        assert not any(isinstance(chunk, Error) for chunk in chunks), chunks
        found[name] = lines.count, chat.sessions.count - reads
        return chunks

    await measure("talk", lambda: chat.say("/say 3"))
    await measure("tools", lambda: chat.say("/call look {}\n/then\n/call look {}"))
    asked = await measure("ask", lambda: chat.say('/call pay {"amount": 5}\n/call locate {}'))
    calls = {one.tool_name: one.tool_call_id for one in asked if isinstance(one, ToolInputStart)}
    (approval,) = [one.approval_id for one in asked if isinstance(one, ToolApprovalRequest)]
    request = {"toolCallId": calls["pay"], "approvalId": approval}
    await measure("approve", lambda: chat.answer(decision(request, True, "pay")))
    await measure("browser", lambda: chat.answer(output(calls["locate"], {"lat": 1}, "locate")))
    return found


@pytest.mark.parametrize("recent", [None, 20])
async def test_turn_1000_costs_what_turn_10_did(recent: int | None) -> None:
    few, many = await costs(FEW, recent), await costs(MANY, recent)
    assert {name: reads for name, (_, reads) in many.items()} == dict.fromkeys(few, 1)
    more = {name: many[name][0] - few[name][0] for name in few}
    assert max(more.values()) <= SLACK, (few, many)
    assert min(lines for lines, _ in few.values()) > 100
