"""A store for tests: the same rules, gone with the process."""

from collections import deque
from collections.abc import Collection, Iterable

from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.chat_id import ChatId


class MemoryApprovalStore:
    """The newest records in a dict. Nothing in it suspends, so each write is one step."""

    promises = "records are lost with the process and unknown to others: for tests only"

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._records: dict[tuple[str, ...], ApprovalRecord] = {}
        self._trail: deque[AuditEntry] = deque(maxlen=5 * most)

    async def create(self, record: ApprovalRecord, entry: AuditEntry) -> ApprovalRecord:
        existing = self._records.setdefault(_key(record), record)
        if existing is record:
            self._trail.append(entry)
        if len(self._records) > self._most:  # what has no record is not run
            del self._records[next(iter(self._records))]
        return existing

    async def move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        if self._records.get(_key(before)) != before:
            return False
        self._records[_key(before)] = after
        self._trail.append(entry)
        return True

    async def get(self, approval_id: str) -> ApprovalRecord | None:
        return next((record for record in self._records.values() if record.id == approval_id), None)

    async def of_calls(self, chat: ChatId, call_ids: Collection[str]) -> list[ApprovalRecord]:
        keys = [(*chat, call_id) for call_id in call_ids]
        return [self._records[key] for key in keys if key in self._records]

    async def of_invocation(
        self, chat: ChatId, invocation_id: str, since: float = 0.0
    ) -> list[ApprovalRecord]:
        return [
            record
            for key, record in self._records.items()
            if key[:3] == chat and record.invocation_id == invocation_id
            if record.state is State.PENDING or record.created >= since
        ]

    async def pending(self, app: str, who: Principal) -> list[ApprovalRecord]:
        return [
            record
            for record in self._records.values()
            if record.app == app and record.waits_for(who)
        ]

    async def listed(self, state: str | None, limit: int | None) -> list[ApprovalRecord]:
        found = list(self._in_state(state))
        return found if limit is None else found[-limit:]

    async def trail(self, approval_id: str | None) -> list[AuditEntry]:
        return [entry for entry in self._trail if approval_id in (None, entry.approval_id)]

    async def open_count(self, app: str, principal: str) -> int:
        pending = self._in_state(State.PENDING)
        return sum(one.app == app and one.principal == principal for one in pending)

    async def latest(self) -> float | None:
        return self._trail[-1].at if self._trail else None

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _in_state(self, state: str | None) -> Iterable[ApprovalRecord]:
        return (record for record in self._records.values() if state in (None, record.state))


def _key(record: ApprovalRecord) -> tuple[str, ...]:
    return (*record.chat_id, record.call_id)
