"""A server in a process of its own that can be asked what it holds.

Its stores forget all but the last few chats: what is counted is what is kept besides them.
"""

import asyncio
import gc
import sys
from collections import Counter, deque
from typing import Any

import uvicorn
from google.adk.agents import LlmAgent
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.tools.function_tool import FunctionTool
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from adk_stream_protocol import ClientTool, LiveOptions, MemoryApprovalStore, mount
from adk_stream_protocol.testing import ScriptedModel
from adk_stream_protocol.testing.live.resumption import Dialogues
from adk_stream_protocol.transports.uvicorn import UVICORN

KEPT = 140


class ShortMemory(InMemorySessionService):
    """Keeps the newest sessions."""

    def __init__(self) -> None:
        super().__init__()
        self._made: deque[tuple[str, str, str]] = deque()

    async def create_session(self, **names: Any) -> Session:
        made = await super().create_session(**names)
        self._made.append((made.app_name, made.user_id, made.id))
        if len(self._made) > KEPT:
            app_name, user_id, session_id = self._made.popleft()
            await self.delete_session(app_name=app_name, user_id=user_id, session_id=session_id)
            self.sessions[app_name].pop(user_id)
        return made


def pay(amount: int) -> dict[str, int]:
    """Pay."""
    return {"paid": amount}


def identify(connection: HTTPConnection) -> str:
    return connection.headers["x-user"]


async def census(request: Request) -> JSONResponse:
    """How many objects of each class there are, tasks, and entries in all containers."""
    for _ in range(3):
        gc.collect()
    objects = gc.get_objects()
    kinds = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in objects)
    entries = sum(len(one) for one in objects if isinstance(one, dict | set | list | deque))
    tasks = len(asyncio.all_tasks())
    return JSONResponse({"tasks": tasks, "entries": entries, "kinds": dict(kinds)})


def model() -> ScriptedModel:
    made = ScriptedModel()
    made._dialogues = Dialogues(most=KEPT)  # pyright: ignore[reportPrivateUsage]
    return made


def build() -> Starlette:
    app = Starlette(routes=[Route("/census", census)])
    tools = [FunctionTool(pay, require_confirmation=True), ClientTool("locate", "Where?")]
    app.state.chats = mount(
        app,
        LlmAgent(name="clerk", model=model(), tools=list(tools)),
        identify=identify,
        session_service=ShortMemory(),
        approval_store=MemoryApprovalStore(most=KEPT // 4),
        approval_ttl=0.05,
        client_tool_ttl=0.05,
        live=LiveOptions(modality="text", disconnect_grace=0.05),
    )
    return app


if __name__ == "__main__":
    gc.set_threshold(100_000, 20, 20)  # most of the time went there
    uvicorn.run(build(), fd=int(sys.argv[1]), log_level="critical", **UVICORN)
