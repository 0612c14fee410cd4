"""The real `adk-stream demo`, but it dies, naps or runs out of disk at a moment of our choice.

Runs in a child process. A file `moment` in the state folder names the moment: `die after claim`,
`fill before claim 2` for the second time it comes. It is used up then, so that the server started
next is not touched by it.
"""

import os
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.session import Session
from sqlalchemy import Connection, Engine
from sqlalchemy import event as engine_event

from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.cli import main as cli
from adk_stream_protocol.convert.calls import CONFIRMATION
from adk_stream_protocol.convert.events import is_placeholder
from adk_stream_protocol.demo import app as demo_app
from adk_stream_protocol.demo.wallet import Payment, Wallet

FILLER = "filler"
STARTS = "starts"
NAP_SECONDS = 1.0
IDEMPOTENT = "CRASH_TEST_IDEMPOTENT"
"""Set in the environment: payments may be started again under the same key."""


class Moment:
    """Where this process ends, or where the disk is full from then on."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._path = state / "moment"
        self._times: Counter[str] = Counter()

    def reached(self, name: str) -> None:
        if not self._path.exists():
            self._times.clear()
            return
        self._times[name] += 1
        action, _, wanted = self._path.read_text().partition(" ")
        if wanted not in (name, f"{name} {self._times[name]}"):
            return
        self._path.unlink()
        if action == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif action == "nap":
            time.sleep(NAP_SECONDS)
        else:
            fill_disk(self._state)


def fill_disk(state: Path) -> None:
    """Leave no byte free."""
    with (state / FILLER).open("ab", buffering=0) as filler:
        for size in (65536, 4096, 1):
            with suppress(OSError):
                while filler.write(b"\0" * size) == size:
                    pass


def serve(state: Path, port: int, environment: dict[str, str]) -> None:
    """Be `adk-stream demo`, until something ends us."""
    os.environ.update(environment)
    state.mkdir(parents=True, exist_ok=True)
    _plant(Moment(state), state)
    sys.argv = ["adk-stream", "demo", "--port", str(port), "--state", str(state)]
    cli.main()


def _plant(moment: Moment, state: Path) -> None:
    """Put the moments around the pieces that the demo is built from."""

    moving: list[str] = []

    @engine_event.listens_for(Engine, "commit")
    def committing(_: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        for event in moving:
            moment.reached(f"committing {event}")

    class Store(SqlApprovalStore):
        async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
            created = await super().create(record, entry)
            moment.reached(f"after {entry.event}")
            return created

        async def move(
            self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry
        ) -> bool:
            moment.reached(f"before {entry.event}")
            moving.append(entry.event)
            try:
                moved = await super().move(before, after, entry)
            finally:
                moving.remove(entry.event)
            moment.reached(f"after {entry.event}")
            return moved

    class CountingWallet(Wallet):
        async def pay(self, user_id: str, key: str, payment: Payment) -> dict[str, Any]:
            with suppress(OSError), (state / STARTS).open("a") as starts:
                starts.write(f"{key}\n")
            result = await super().pay(user_id, key, payment)
            moment.reached("after pay")
            return result

        async def _post(self, url: str, key: str, payment: Payment) -> Any:
            response = await super()._post(url, key, payment)
            moment.reached("after post")
            return response

    class Sessions(DatabaseSessionService):
        async def append_event(self, session: Session, event: Event) -> Event:
            what = _what(event)
            moment.reached(f"before {what}")
            stored = await super().append_event(session, event)
            moment.reached(f"after {what}")
            return stored

    if os.environ.get(IDEMPOTENT):
        policy = ApprovalPolicy("process_payment", idempotent=True)
        demo_app.POLICIES = [policy]
    demo_app.SqlApprovalStore = Store
    demo_app.Wallet = CountingWallet
    demo_app.DatabaseSessionService = Sessions


def _what(event: Event) -> str:
    """answer: the decision as ADK stores it. response: the result of the tool. else: all else."""
    for response in event.get_function_responses():
        if response.name == CONFIRMATION:
            return "answer"
        if not is_placeholder(event, response.id or ""):
            return "response"
    return "else"
