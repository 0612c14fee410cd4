"""Plays a scenario over the live socket: the demo agent in this process, ADK's Gemini behind it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

from google.adk.sessions.database_session_service import DatabaseSessionService
from starlette.applications import Starlette

from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.app import PAYMENT_POLICY, DemoSettings
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.mount import LiveOptions, mount
from tests.gemini.asgi_socket import AsgiSocket
from tests.gemini.matching import Json
from tests.gemini.play import Play
from tests.gemini.scenario import SocketScenario, SocketTurn

READING = "reading"
"""Given when a turn of the server's is being read; before that it must not end."""


class Socket(Protocol):
    """The client's end of a socket."""

    async def send(self, frame: Json) -> None: ...

    async def receive(self) -> Json: ...


class SocketChat:
    """One chat on one socket, in the AI SDK's frames."""

    def __init__(self, socket: Socket, play: Play, chat_id: str = "chat") -> None:
        self._socket = socket
        self._play = play
        self._id = chat_id
        self._numbers = count(1)

    async def play(self, turn: SocketTurn) -> list[Json]:
        """Do what the client does, and read the turn that follows to its end."""
        for name in turn.signals:
            self._play.signal(name)
        for frame in turn.frames:
            await self._socket.send({"id": self._id, **frame})
        request_id = f"r{next(self._numbers)}"
        if turn.client is not None:
            body = self._play.names.fill(turn.client)
            await self._socket.send(
                {"type": "send", "requestId": request_id, "id": self._id, **body}
            )
        else:
            notice = await self._socket.receive()
            assert notice == {"type": "turn", "requestId": "server", "id": self._id}
            await self._socket.send({"type": "resume", "requestId": request_id, "id": self._id})
            assert await self._socket.receive() == {"type": "start", "requestId": request_id}
            self._play.signal(READING)
        return await self._chunks(request_id)

    async def _chunks(self, request_id: str) -> list[Json]:
        chunks: list[Json] = []
        while True:
            frame = await self._socket.receive()
            if frame == {"type": "end", "requestId": request_id}:
                return chunks
            expected = {"type": "chunk", "requestId": request_id, "sequence": len(chunks)}
            assert frame == expected | {"chunk": frame.get("chunk")}
            chunks.append(frame["chunk"])


@asynccontextmanager
async def socket_chat(
    scenario: SocketScenario, play: Play, state: Path
) -> AsyncGenerator[SocketChat]:
    """A live chat with the demo agent in this process, for as long as the block lasts."""
    sessions = DatabaseSessionService(DemoSettings(state).sessions_url)
    app = _app(scenario, state, sessions)
    socket = AsgiSocket(app, "/live", f"approvals={scenario.approvals}")
    async with sessions, app.router.lifespan_context(app), socket:
        yield SocketChat(socket, play)


def _app(scenario: SocketScenario, state: Path, sessions: DatabaseSessionService) -> Starlette:
    app = Starlette()
    mount(
        app,
        build_agent(wallet=Wallet(state)),
        identify=lambda connection: "local",
        session_service=sessions,
        approval_store=SqlApprovalStore(DemoSettings(state).approvals_url),
        policies=[PAYMENT_POLICY],
        approval_ttl=scenario.approval_ttl,
        live=LiveOptions(model=scenario.model, calls=scenario.calls),
    )
    return app
