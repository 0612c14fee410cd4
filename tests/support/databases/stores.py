"""Stores that break, or stand still, at a moment of our choice."""

import asyncio

from adk_stream_protocol import MemoryApprovalStore
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.errors import Unavailable


class FailingStore(MemoryApprovalStore):
    """Refuses to write one kind of event while `fails_at` names it."""

    def __init__(self) -> None:
        super().__init__()
        self.fails_at = ""

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        if entry.event == self.fails_at:
            raise Unavailable("The approval store does not answer.")
        return await super().move(before, after, entry)


class HeldStore(MemoryApprovalStore):
    """Writes one event of a kind, and then stands still until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self._held = ""
        self.there, self.go_on = asyncio.Event(), asyncio.Event()

    def hold(self, event: str) -> None:
        self._held = event

    async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
        created = await super().create(record, entry)
        await self._stand_still(entry)
        return created

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        moved = await super().move(before, after, entry)
        await self._stand_still(entry)
        return moved

    async def _stand_still(self, entry: AuditEntry) -> None:
        if entry.event == self._held:
            self._held = ""
            self.there.set()
            await self.go_on.wait()
