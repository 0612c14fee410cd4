"""An agent behind `mount` with the routes of history, and tools to leave things open with."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools.function_tool import FunctionTool
from starlette.routing import Route

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk.runner import build_runner
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.chats.archive import ChatArchive
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.transports.admission import Admission
from adk_stream_protocol.transports.history import (
    chats_endpoint,
    delete_endpoint,
    messages_endpoint,
)
from tests.support.clients.http import Json, Reply
from tests.support.servers.without_network import Served, agent, identify


class ChatActivity:
    """A chat, and which message its running turn makes."""

    def __init__(self, chat: Chats) -> None:
        self._chat = chat
        self.message_id: str | None = None

    async def message_in_the_making(self, user_id: str, chat_id: str) -> str | None:
        return self.message_id

    def is_running(self, record: ApprovalRecord) -> bool:
        return self._chat.is_running(record)

    async def end(self, user_id: str, chat_id: str) -> None:
        await self._chat.stop(user_id, chat_id)


class Stored(Served):
    """A served agent with the routes of history."""

    def __init__(self, *tools: Any, client_tool_ttl: float = 600, **options: Any) -> None:
        options = {"client_tool_ttl": client_tool_ttl, "allowed_origins": [], **options}
        super().__init__(agent(*tools), **options)
        sessions: BaseSessionService = options.get("session_service", self.sessions)
        self.activity = ChatActivity(self.chat)
        runner = build_runner(self.root, sessions, self.chat.book)
        stored = ChatArchive(runner, self.chat.book, self.activity, client_tool_ttl=client_tool_ttl)
        admission = Admission(identify)
        chat = "/api/chat/{chat_id:path}"
        self.app.router.routes[:0] = [
            Route(f"{chat}/messages", messages_endpoint(stored, admission), methods=["GET"]),
            Route(chat, delete_endpoint(stored, admission), methods=["DELETE"]),
            Route("/api/chats", chats_endpoint(stored, admission), methods=["GET"]),
        ]

    async def messages(self, query: str = "", chat: str = "c") -> list[Json]:
        found = await self.request("GET", f"/api/chat/{chat}/messages{query}")
        assert found.status_code == 200, found.text
        return found.json()

    async def answer_with(self, *parts: Json) -> Reply:
        """Answer under the id of the stored message."""
        message_id = (await self.messages())[-1]["id"]
        message = {"id": message_id, "role": "assistant", "parts": parts}
        body = {"id": "c", "messages": [message], "messageId": message_id}
        found = await self.request("POST", "/api/chat", body)
        return Reply(found.status_code, found.text)

    async def make_chat(self, chat: str, state: Json | None = None) -> None:
        """As an application may do by itself."""
        await self.sessions.create_session(
            app_name="clerk", user_id="alice", session_id=chat, state=state
        )

    async def open_chat(self, chat: str, text: str, who: str = "alice") -> None:
        body = {"id": chat, "message": {"role": "user", "content": text}}
        assert (await self.request("POST", "/api/chat", body, who)).status_code == 200


def pay(amount: int) -> dict[str, int]:
    """Pay."""
    return {"paid": amount}


PAY = FunctionTool(pay, require_confirmation=True)
LOCATE = ClientTool("locate", "Where the user is.", approval=True)
SOUND = ClientTool("sound", "Play a sound.")


def text_of(message: Json) -> str:
    return "".join(part["text"] for part in message["parts"] if part["type"] == "text")


def tools_of(message: Json) -> list[Json]:
    return [part for part in message["parts"] if part["type"].startswith("tool-")]


SERVICES = ["memory", "sqlite", "database"]


@asynccontextmanager
async def session_service(kind: str, folder: Path) -> AsyncGenerator[BaseSessionService]:
    """One of ADK's session services."""
    match kind:
        case "memory":
            yield InMemorySessionService()
        case "sqlite":
            yield SqliteSessionService(str(folder / "sessions.db"))
        case _:
            service = DatabaseSessionService(f"sqlite+aiosqlite:///{folder / 'sessions.db'}")
            yield service
            await service.close()
