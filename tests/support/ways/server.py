"""The demo agent on a real port: in a thread, where it can be called directly, or elsewhere."""

import asyncio
import socket
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.tools.function_tool import FunctionTool
from starlette.applications import Starlette

from adk_stream_protocol import LiveOptions, SqlApprovalStore, mount
from adk_stream_protocol.cli.serve import DrainingServer
from adk_stream_protocol.demo.agent import POLICIES, build_agent
from adk_stream_protocol.demo.identity import COOKIE, demo_identify, load_secret, sign
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.transports.uvicorn import UVICORN
from tests.support.servers.demo import DemoServer

T = TypeVar("T")
SECONDS = 60.0
"""Longer than anything here takes: only what hangs is ended by it."""

_numbers = count()


async def explode() -> None:
    """Fail."""
    raise RuntimeError("a secret of the server")


async def explode_if_allowed() -> None:
    """Fail, but ask first."""
    await explode()


class ChatId(ABC):
    """A server and its state folder. Users have 1000 of each currency when they come."""

    def __init__(self, state: Path) -> None:
        self.state = state

    @property
    @abstractmethod
    def address(self) -> str:
        """Host and port."""

    def cookie(self, user: str) -> dict[str, str]:
        """The header by which the demo knows a user."""
        return {"cookie": f"{COOKIE}={sign(user, load_secret(self.state))}"}

    def paid(self, user: str) -> list[tuple[str, float]]:
        """What really was paid for a user, in order."""
        file = self.state / "wallet.sqlite3"
        if not file.exists():
            return []
        with closing(sqlite3.connect(file)) as ledger:
            query = "SELECT recipient, cents / 100.0 FROM payments WHERE user_id = ? ORDER BY rowid"
            return list(ledger.execute(query, (user,)))


class Elsewhere(ChatId):
    """A demo server in a process of its own."""

    def __init__(self, demo: DemoServer) -> None:
        super().__init__(demo.state)
        self._address = f"127.0.0.1:{demo.port}"

    @property
    def address(self) -> str:
        return self._address


class Server(ChatId):
    """The demo agent in a thread of this process."""

    def __init__(self, state: Path, live: LiveOptions, **options: Any) -> None:
        super().__init__(state)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._serving = Future[asyncio.AbstractEventLoop]()
        self._sessions = DatabaseSessionService(f"sqlite+aiosqlite:///{state}/sessions.sqlite3")
        app = Starlette()
        agent = build_agent(wallet=Wallet(state))
        agent.tools += [explode, FunctionTool(explode_if_allowed, require_confirmation=True)]
        self.chat = mount(
            app,
            agent,
            identify=demo_identify(["alice"], load_secret(state)),
            session_service=self._sessions,
            approval_store=SqlApprovalStore(f"sqlite+aiosqlite:///{state}/approvals.sqlite3"),
            policies=POLICIES,
            live=live,
            **options,
        )
        config = uvicorn.Config(
            app,
            loop="asyncio",
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=5,
            ws_max_size=10 * 1024 * 1024,
            **UVICORN,
        )
        self._server = DrainingServer(config, self.chat)
        self._thread = threading.Thread(target=self._run, name="server")

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def start(self) -> "Server":
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(SECONDS)
        assert not self._thread.is_alive(), "it does not stop"

    def call(self, job: Coroutine[Any, Any, T]) -> T:
        """Run something where the app runs."""
        loop = self._serving.result(SECONDS)
        return asyncio.run_coroutine_threadsafe(job, loop).result(SECONDS)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._serving.set_result(asyncio.get_running_loop())
        await self._server.serve(sockets=[self._listener])
        await self._sessions.close()


def new_name(kind: str) -> str:
    """A name that no other test has: of a user, or of a chat."""
    return f"{kind}-{next(_numbers)}"
