"""A store that breaks at a moment of our choice."""

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
