"""The store of approval records, and the audit trail of every move."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from adk_stream_protocol.approvals.record import ApprovalRecord, Principal
from adk_stream_protocol.chat_id import ChatId


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the trail. Lines are only ever added."""

    at: float
    approval_id: str
    event: str
    actor: str
    state: str
    digest: str
    reason: str | None = None


class ApprovalStore(Protocol):
    """Every write is one conditional statement: over the state that was read, or not at all."""

    promises: str
    """What a user of this store may rely on, for the log at start-up."""

    async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
        """Store a new record; one that exists under its key is returned instead."""
        ...

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        """Write `after` if the record still is as `before` says. False if another was faster."""
        ...

    async def get(self, approval_id: str) -> ApprovalRecord | None:
        """Read a record by its id."""
        ...

    async def of_calls(self, chat: ChatId, call_ids: Collection[str]) -> list[ApprovalRecord]:
        """Read the records of these calls of a chat, oldest first."""
        ...

    async def of_invocation(
        self, chat: ChatId, invocation_id: str, since: float = 0.0
    ) -> list[ApprovalRecord]:
        """Read the records of one invocation that are pending or made since then, oldest first."""
        ...

    async def pending(self, app: str, who: Principal) -> list[ApprovalRecord]:
        """Read what waits for this person."""
        ...

    async def listed(self, state: str | None, limit: int | None) -> list[ApprovalRecord]:
        """Read the newest records, for the command line."""
        ...

    async def trail(self, approval_id: str | None) -> list[AuditEntry]:
        """Read the audit trail, of one record or of all, oldest first."""
        ...

    async def open_count(self, app: str, principal: str) -> int:
        """How many requests of this principal's chats wait for somebody."""
        ...

    async def latest(self) -> float | None:
        """When the last line of the trail was written."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
