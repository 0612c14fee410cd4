"""A server that can be killed again and again: forked from a process that has imported it all."""

import asyncio
import multiprocessing
import os
import signal
import time
import urllib.request
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.approvals.store import AuditEntry
from tests.support.servers import mortal_demo
from tests.support.servers.demo import free_port

# Beside the demo, what a first turn would import.
_PRELOAD = [
    mortal_demo.__name__,
    "asyncpg",
    "google.adk.flows.llm_flows.auto_flow",
    "google.adk.workflow._llm_agent_wrapper",
    "google.adk.workflow._workflow",
    "google.adk.auth.auth_preprocessor",
    "google.adk.tools.google_search_tool",
    "google.adk.tools.vertex_ai_search_tool",
]
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(_PRELOAD)


class CrashServer:
    """`adk-stream demo` as a child process, with moments (see mortal_demo) at which it ends."""

    def __init__(self, state: Path, sink_url: str, **environment: str) -> None:
        self.state = state
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.store_url = environment.get(
            "ADK_STREAM_DATABASE_URL", f"sqlite+aiosqlite:///{state / 'approvals.sqlite3'}"
        )
        self._environment = {"PAYMENT_SINK_URL": sink_url, **environment}
        self._process: ForkServerProcess | None = None

    def start(self) -> "CrashServer":
        arguments = (self.state, self.port, self._environment)
        self._process = _forks.Process(target=mortal_demo.serve, args=arguments)
        self._process.start()
        self._wait_until_ready()
        return self

    def ready(self) -> "CrashServer":
        """As good as new for the next test, but for what is stored."""
        (self.state / "moment").unlink(missing_ok=True)
        (self.state / mortal_demo.STARTS).unlink(missing_ok=True)
        if self._process is None or not self._process.is_alive():
            self.start()
        return self

    def restart(self) -> "CrashServer":
        """Start again after the death that was arranged."""
        self.wait_until_dead()
        return self.start()

    def wait_until_dead(self) -> None:
        assert self._process is not None
        self._process.join(20)
        assert self._process.exitcode == -signal.SIGKILL, self._process.exitcode

    def die_at(self, moment: str) -> None:
        """Be killed when this moment comes."""
        (self.state / "moment").write_text(f"die {moment}")

    def fill_at(self, moment: str) -> None:
        """Have no disk left from this moment on."""
        (self.state / "moment").write_text(f"fill {moment}")

    def nap_at(self, moment: str) -> None:
        """Do nothing at all for a while when this moment comes."""
        (self.state / "moment").write_text(f"nap {moment}")

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None or self._process.pid is None:
            return
        if self._process.exitcode is None:
            os.kill(self._process.pid, how)
        self._process.join(20)
        assert self._process.exitcode is not None

    def starts(self) -> list[str]:
        """The key of each start of the payment tool, whether or not it paid."""
        path = self.state / mortal_demo.STARTS
        return path.read_text().split() if path.exists() else []

    def record(self, approval_id: str) -> ApprovalRecord:
        """What is stored about a request, read past the server."""
        found = asyncio.run(self._read(approval_id))[0]
        assert found is not None
        return found

    def records_of(self, chat: str) -> list[ApprovalRecord]:
        """All that is stored about the requests of a chat."""
        return [record for record in asyncio.run(self._all()) if record.session == chat]

    async def _all(self) -> list[ApprovalRecord]:
        store = SqlApprovalStore(self.store_url)
        try:
            return await store.listed(None, None)
        finally:
            await store.close()

    def trail(self, approval_id: str) -> list[str]:
        """What the audit trail says happened to a request."""
        return [entry.event for entry in asyncio.run(self._read(approval_id))[1]]

    async def _read(self, approval_id: str) -> tuple[ApprovalRecord | None, list[AuditEntry]]:
        store = SqlApprovalStore(self.store_url)
        try:
            return await store.get(approval_id), await store.trail(approval_id)
        finally:
            await store.close()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self._process is not None and self._process.is_alive(), "it ended at once"
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                    return
            except OSError:
                time.sleep(0.02)
        raise AssertionError("the server did not become ready")
