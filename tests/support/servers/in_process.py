"""An agent behind `mount` on a real socket, in the process of the test."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import uvicorn
from google.adk.agents import LlmAgent
from google.adk.agents.base_agent import BaseAgent
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from starlette.applications import Starlette
from starlette.requests import HTTPConnection

from adk_stream_protocol import MemoryApprovalStore, Principal, mount
from adk_stream_protocol.chats.engine import LongEngine
from adk_stream_protocol.chats.live.settings import LiveOptions
from adk_stream_protocol.cli.serve import DrainingServer
from adk_stream_protocol.transports.uvicorn import UVICORN
from tests.support.clients.http import Json, Reply, decision
from tests.support.clients.socket import SocketChat
from tests.support.polite_model import polite_model

SECONDS = 60.0
"""How long anything may take before a test gives it up."""


def clerk(*tools: Callable[..., Any] | BaseTool | BaseToolset, **fields: Any) -> LlmAgent:
    """An agent on the scripted model."""
    given: Any = {"name": "clerk", "model": polite_model(), "tools": list(tools), **fields}
    return LlmAgent(**given)


class Server(DrainingServer):
    """The demo's server, which leaves the signals to pytest and looks more often than uvicorn."""

    async def main_loop(self) -> None:
        counter = 0
        while not await self.on_tick(counter):
            counter += 1
            await asyncio.sleep(0.01)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def identify(connection: HTTPConnection) -> Principal:
    """A user and roles, as a real application would read them from a token."""
    roles = connection.headers.get("x-roles", "")
    return Principal(connection.headers.get("x-user", "alice"), frozenset(roles.split()))


class Served:
    """One agent and its chats, over HTTP and over sockets."""

    def __init__(
        self, root: BaseAgent | App, send_buffer: int | None = None, **options: Any
    ) -> None:
        self.root = root
        self.app = Starlette()
        self.store = MemoryApprovalStore()
        self.sessions = InMemorySessionService()
        usual = {"approval_store": self.store, "session_service": self.sessions}
        given: Any = {"identify": identify, "allowed_hosts": ["*"], **usual, **options}
        self.chat = mount(self.app, root, **given)
        self._listening = socket.create_server(("127.0.0.1", 0))
        if send_buffer is not None:  # inherited: a client that does not read is felt at once
            self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    async def serve(self, **config: Any) -> "Running":
        """Start; the settings are those of the demo's command."""
        given = {**UVICORN, **config}
        settings = uvicorn.Config(self.app, log_level="critical", **given)
        server = Server(settings, self.chat)
        task = asyncio.create_task(server.serve(sockets=[self._listening]))
        await until(lambda: server.started)
        return Running(server, task)

    @asynccontextmanager
    async def socket(
        self, chat: str = "c", who: str = "alice", query: str = "", **options: Any
    ) -> AsyncGenerator[SocketChat]:
        """A client of the AI SDK's frames."""
        url = f"ws://127.0.0.1:{self.port}/live{query}"
        async with SocketChat.connect(url, chat, {"x-user": who}, **options) as client:
            yield client

    async def request(
        self, method: str, path: str, body: Json | None = None, who: str = "alice", roles: str = ""
    ) -> httpx.Response:
        headers = {"x-user": who, "x-roles": roles}
        async with httpx.AsyncClient(base_url=self.url, verify=False, timeout=SECONDS) as client:
            return await client.request(method, path, json=body, headers=headers)

    async def post(self, body: Json, chat: str = "c") -> Reply:
        answer = await self.request("POST", "/api/chat", {"id": chat, **body})
        return Reply(answer.status_code, answer.text)

    async def say(self, text: str, chat: str = "c") -> Reply:
        return await self.post({"message": {"role": "user", "content": text}}, chat)

    async def answer(self, *parts: Json, chat: str = "c") -> Reply:
        message = {"id": "m", "role": "assistant", "parts": list(parts)}
        return await self.post({"messages": [message], "messageId": "m"}, chat)

    async def approve(self, request: Json, approved: bool = True) -> Reply:
        return await self.answer(decision(request, approved, "pay"))

    async def decide(
        self, approval_id: str, approved: object, who: str = "alice", roles: str = ""
    ) -> httpx.Response:
        """Decide outside of the chat."""
        body = {"approved": approved}
        return await self.request("POST", f"/api/approvals/{approval_id}", body, who, roles)

    async def context(self, chat: str = "c") -> Json:
        """What the model of request mode sees now."""
        return json.loads((await self.say("/echo", chat)).said)

    async def states(self) -> list[str]:
        return [record.state.value for record in await self.store.listed(None, 1000)]

    async def trail(self) -> list[str]:
        return [line.event for line in await self.store.trail(None)]

    async def events(self, chat: str = "c", who: str = "alice") -> list[Event]:
        session = await self.sessions.get_session(
            app_name=self.root.name, user_id=who, session_id=chat
        )
        return session.events if session else []

    async def request_is_over(self, request: Json) -> bool:
        """Whether the time to answer a request has passed."""
        record = await self.store.get(request["approvalId"])
        assert record is not None
        return time.time() > record.expires

    def is_closing(self, chat: str = "c") -> bool:
        """Whether the live run of a chat is about to end, or has ended."""
        run = self.live_engine("alice", chat)
        return run is None or run.is_closing

    def is_live(self, chat: str = "c", who: str = "alice") -> bool:
        return self.live_engine(who, chat) is not None

    def live_engine(self, who: str, chat: str) -> LongEngine | None:
        """The live run of a chat, if there is one."""
        found = self.chat.get(who, chat)
        return found.live if found else None


class Running:
    """A server that runs as a task of the test."""

    def __init__(self, server: uvicorn.Server, task: asyncio.Task[None]) -> None:
        self._server = server
        self._task = task

    async def stop(self) -> None:
        self._server.should_exit = True
        await asyncio.wait_for(self._task, SECONDS)


@asynccontextmanager
async def serving(
    root: BaseAgent | App,
    *,
    grace: float = 30.0,
    calls: Any = "sequential",
    config: dict[str, Any] | None = None,
    **options: Any,
) -> AsyncGenerator[Served]:
    """An agent with its chats, served until the block ends; no task of it is left then."""
    before = asyncio.all_tasks()
    live = LiveOptions(calls=calls, modality="text", disconnect_grace=grace)
    given: Any = {"live": live, **options}
    served = Served(root, **given)
    running = await served.serve(**(config or {}))
    try:
        yield served
    finally:
        await running.stop()
    await until(lambda: not asyncio.all_tasks() - before)


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait for what happens in the background, but not for ever."""
    deadline = asyncio.get_running_loop().time() + SECONDS
    while True:
        found = condition()
        if found if isinstance(found, bool) else await found:
            return
        assert asyncio.get_running_loop().time() < deadline, "it did not happen"
        await asyncio.sleep(0.005)


def responses(context: Json, name: str = "pay") -> list[Json]:
    """What the model was told of the calls of a tool, oldest first."""
    parts = [part for content in context["contents"] for part in content["parts"]]
    told = [part["function_response"] for part in parts if "function_response" in part]
    return [response["response"] for response in told if response["name"] == name]
