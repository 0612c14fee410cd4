"""Plays a chat that changes between HTTP and the socket: one app, one session, both Geminis."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import httpx
import msgspec
from google.adk.models.google_llm import Gemini
from google.adk.sessions.database_session_service import DatabaseSessionService
from starlette.applications import Starlette

from adk_stream_protocol.chats.live.settings import LiveOptions
from adk_stream_protocol.demo.app import DemoSettings
from adk_stream_protocol.demo.recorded_app import closing_model, mount_demo
from adk_stream_protocol.recording.player.asgi_socket import AsgiSocket
from adk_stream_protocol.recording.player.socket_chat import SocketChat
from adk_stream_protocol.recording.scenario.matching import Json
from adk_stream_protocol.recording.scenario.scenario import Exchange, SocketTurn, Step
from adk_stream_protocol.recording.stand_in.play import Play
from tests.support.clients.http import Reply

MODEL = "gemini-2.5-flash"


class MixedTurn(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a client sends, which way, and the chunks that it gets."""

    via: Literal["http", "socket"]
    client: Json
    leaves: bool = False
    """Before this turn the client's socket goes away."""
    run_ends: bool = False
    """Before this turn the live run ends, as nobody has come back."""
    chunks: list[Json] = []


class MixedScenario(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A chat over HTTP and the socket, and all that its two models say."""

    about: str
    model: str
    connections: list[list[Step]]
    exchanges: list[Exchange]
    turns: list[MixedTurn]
    disconnect_grace: float = 30


class MixedChat:
    """One chat of one app. Its socket is opened when it is needed."""

    def __init__(self, app: Starlette, client: httpx.AsyncClient, play: Play) -> None:
        self._app = app
        self._client = client
        self._play = play
        self._socket: AsgiSocket | None = None
        self._chat: SocketChat | None = None

    async def play(self, turn: MixedTurn) -> list[Json]:
        """Do what the client does, and read the turn that follows to its end."""
        if turn.leaves:
            await self.leave()
        if turn.run_ends:
            assert await asyncio.to_thread(self._play.await_closed), "the run goes on"
        if turn.via == "socket":
            return await (await self._on_socket()).play(SocketTurn(turn.client))
        body = {"id": "chat", **self._play.names.fill(turn.client)}
        answer = await self._client.post("/api/chat", json=body)
        return Reply(answer.status_code, answer.text).chunks

    async def leave(self) -> None:
        """Close the socket, if there is one."""
        if self._socket:
            await self._socket.__aexit__(None, None, None)
        self._socket = self._chat = None

    async def _on_socket(self) -> SocketChat:
        if self._chat is None:
            self._socket = await AsgiSocket(self._app, "/live").__aenter__()
            self._chat = SocketChat(self._socket, self._play)
        return self._chat


@asynccontextmanager
async def mixed_chat(scenario: MixedScenario, play: Play, state: Path) -> AsyncGenerator[MixedChat]:
    """A chat with the demo agent in this process, for as long as the block lasts."""
    sessions = DatabaseSessionService(DemoSettings(state).sessions_url)
    async with sessions, closing_model(Gemini(model=MODEL)) as model:
        app = Starlette()
        live = LiveOptions(model=scenario.model, disconnect_grace=scenario.disconnect_grace)
        mount_demo(app, model, state, sessions, live=live)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://demo", timeout=60) as client,
        ):
            chat = MixedChat(app, client, play)
            yield chat
            await chat.leave()
