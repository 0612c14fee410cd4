"""An agent with tools behind `mount`, without a network: users, roles, questions and answers."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import httpx
from google.adk.agents import LlmAgent
from google.adk.agents.base_agent import BaseAgent
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.base_tool import BaseTool
from starlette.applications import Starlette
from starlette.requests import HTTPConnection

from adk_stream_protocol import MemoryApprovalStore, Principal, mount
from adk_stream_protocol.testing import ScriptedModel
from tests.support.clients.http import Json, Reply, decision


def identify(connection: HTTPConnection) -> Principal:
    """A user and roles, as a real application would read them from a token."""
    roles = connection.headers.get("x-roles", "")
    return Principal(connection.headers.get("x-user", "alice"), frozenset(roles.split()))


def agent(*tools: Callable[..., Any] | BaseTool, **fields: Any) -> LlmAgent:
    return LlmAgent(name="clerk", model=ScriptedModel(), tools=list(tools), **fields)


class Served:
    """One chat of Alice's, and whoever else decides."""

    def __init__(self, root: BaseAgent, **options: Any) -> None:
        self.store = MemoryApprovalStore()
        self.sessions = InMemorySessionService()
        self.app = Starlette()
        self.root = root
        options = {"approval_store": self.store, "session_service": self.sessions, **options}
        self.chat = mount(self.app, root, identify=identify, **options)

    async def request(
        self, method: str, path: str, body: Json | None = None, who: str = "alice", roles: str = ""
    ) -> httpx.Response:
        transport = httpx.ASGITransport(self.app)
        headers = {"x-user": who, "x-roles": roles}
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, json=body, headers=headers, timeout=60)

    async def say(self, text: str) -> Reply:
        body = {"id": "c", "message": {"role": "user", "content": text}}
        return _reply(await self.request("POST", "/api/chat", body))

    async def say_when_free(self, text: str) -> Reply:
        """Say it as soon as no turn runs that goes on by itself."""
        replies: list[Reply] = []

        async def taken() -> bool:
            replies.append(await self.say(text))
            return replies[-1].status != 409

        await until(taken)
        return replies[-1]

    async def answer(self, requests: Sequence[Json], *verdicts: bool) -> Reply:
        """Answer approval requests in the chat, as the SDK does."""
        pairs = zip(requests, verdicts, strict=True)
        message = {"role": "assistant", "parts": [decision(one, yes) for one, yes in pairs]}
        body = {"id": "c", "messages": [{"id": "m", **message}], "messageId": "m"}
        return _reply(await self.request("POST", "/api/chat", body))

    async def stop(self) -> None:
        await self.request("POST", "/api/chat/c/stop")

    async def waiting(self, who: str, roles: str) -> list[Json]:
        found = await self.request("GET", "/api/approvals", who=who, roles=roles)
        assert found.status_code == 200
        return found.json()["approvals"]

    async def decide(
        self, approval_id: str, approved: object, who: str, roles: str, reason: str | None = None
    ) -> httpx.Response:
        body = {"approved": approved} | ({"reason": reason} if reason else {})
        return await self.request("POST", f"/api/approvals/{approval_id}", body, who, roles)

    async def history(self) -> str:
        """What the session holds, as text."""
        session = await self.sessions.get_session(
            app_name=self.root.name, user_id="alice", session_id="c"
        )
        assert session is not None
        return json.dumps([event.model_dump(mode="json") for event in session.events])

    async def states(self) -> list[str]:
        return [record.state.value for record in await self.store.listed(None, 1000)]


def _reply(answer: httpx.Response) -> Reply:
    return Reply(answer.status_code, answer.text)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what happens in the background, but not for ever."""
    deadline = asyncio.get_running_loop().time() + 60
    while not await condition():
        assert asyncio.get_running_loop().time() < deadline, "it did not happen"
        await asyncio.sleep(0.01)
