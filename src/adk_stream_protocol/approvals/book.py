"""ApprovalBook: what the gate and the chat do with approval records. One record decides."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any, Protocol

from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.approvals.presentation import present
from adk_stream_protocol.approvals.record import (
    ApprovalRecord,
    Principal,
    State,
    canonical,
    digest_of,
    idempotency_key,
)
from adk_stream_protocol.approvals.store import ApprovalStore, AuditEntry
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.clock import SteadyClock, steady_clock
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.errors import Busy, Conflict, StreamProtocolError
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.process_id import is_gone, is_of_this_host, this_process

logger = logging.getLogger(__name__)

ABANDONED_SECONDS = 900.0  # then a call of another host counts as lost: nobody can ask that host
LOOK_SECONDS = 5.0  # how often a waiting call looks, should another process have its answer
BROWSER = "browser:-:-"  # the holder of a call that the browser runs


class RecordObserver(Protocol):
    """Hears of every change of a record, after it is committed."""

    def created(self, record: ApprovalRecord, entry: AuditEntry) -> None: ...

    def moved(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> None: ...

    def recall(self, calls: Iterable[Call]) -> None: ...


class Unobserved:
    """Ignore every change."""

    def created(self, record: ApprovalRecord, entry: AuditEntry) -> None:
        return None

    def moved(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> None:
        return None

    def recall(self, calls: Iterable[Call]) -> None:
        return None


class ApprovalBook:
    """The records of one agent's gated calls."""

    def __init__(
        self,
        store: ApprovalStore,
        policies: Iterable[ApprovalPolicy] = (),
        *,
        ttl: float = 600,
        clock: SteadyClock = steady_clock,
        observer: RecordObserver | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.store = store
        self._policies = {policy.tool: policy for policy in policies}
        self._ttl = ttl
        self.clock = clock
        self.limits = limits
        self._holder = this_process()
        self.observer = observer or Unobserved()
        self._on_settled: list[Callable[[ApprovalRecord], object]] = []

    def on_settled(self, listener: Callable[[ApprovalRecord], object]) -> None:
        """Call the listener with every record that stops waiting for a person."""
        self._on_settled.append(listener)

    async def start(self) -> None:
        """Learn from the trail how late it is at least."""
        try:
            latest = await self.store.latest()
        except StreamProtocolError:
            logger.warning("the approval store does not answer yet")
        else:
            self.clock.at_least(latest or 0.0)

    def policy(self, tool: str) -> ApprovalPolicy:
        """Return the policy of a tool, or the default one."""
        return self._policies.get(tool) or ApprovalPolicy(tool)

    async def ask(
        self,
        place: ChatId,
        approval_id: str,
        *,
        call_id: str,
        invocation_id: str,
        tool: str,
        arguments: dict[str, Any],
    ) -> ApprovalRecord:
        """Make the record of a request before anybody sees the request."""
        policy, now, text = self.policy(tool), self.clock.now(), canonical(arguments)
        record = ApprovalRecord(
            id=approval_id,
            app=place.app,
            principal=place.user,
            session=place.chat,
            call_id=call_id,
            invocation_id=invocation_id,
            tool=tool,
            arguments=text,
            digest=digest_of(text),
            created=now,
            expires=now + (self._ttl if policy.ttl is None else policy.ttl),
            idempotency_key=idempotency_key(place, call_id),
            steps=policy.steps,
            holder=self._holder,
        )
        entry = self._entry("request", record, place.user)
        created = await self.store.create(record, entry)
        if created is record:
            self.observer.created(record, entry)
        return created

    def show(self, record: ApprovalRecord, order: Collection[str] = ()) -> dict[str, Any]:
        """Make what an approver sees, from the record alone."""
        policy = self.policy(record.tool)
        shown = present(
            tool=record.tool,
            arguments=json.loads(record.arguments),
            order=list(order),
            expires=record.expires,
            title=policy.title,
            hint=policy.hint,
            risk=policy.risk,
            icon=policy.icon,
            color=policy.color,
        ).to_json()
        return shown | ({"waitsFor": record.steps[record.step]} if record.steps else {})

    async def of_calls(self, place: ChatId, call_ids: Collection[str]) -> dict[str, ApprovalRecord]:
        """Read the records of these calls, by call id."""
        if not call_ids:
            return {}
        found = await self.store.of_calls(place, call_ids)
        return {record.call_id: record for record in found}

    async def of_turn(self, place: ChatId, invocation: str, since: float) -> list[ApprovalRecord]:
        """Read the records of one invocation that are pending or made since then."""
        return await self.store.of_invocation(place, invocation, since)

    def check(self, record: ApprovalRecord, who: Principal) -> None:
        """Raise what `decide` would, without deciding."""
        self._learn_time(record)
        record.decide(who, True, None, self.clock.now())

    async def check_shown(self, record: ApprovalRecord, who: Principal, shown: list[Any]) -> None:
        """Raise Conflict if a client showed other arguments than would run, and keep a trace."""
        if not all(record.has_arguments(arguments) for arguments in shown):
            await self._move(record, record, self._entry("mismatch", record, who.id))
            logger.warning("approval %s: a client showed other arguments", record.id)
            raise Conflict("What was shown is not what would run. Nothing was decided.")

    async def decide(
        self, record: ApprovalRecord, who: Principal, approved: bool, reason: str | None
    ) -> ApprovalRecord:
        """Commit a decision. When this returns, it survives anything."""
        self._learn_time(record)
        reason = reason and reason[: self.limits.reason]
        after = record.decide(who, approved, reason, self.clock.now())
        if after.state is not State.PENDING:
            after = replace(after, holder=self._holder)  # who goes on with the chat
        event = "approve" if approved else "deny"
        if await self._move(record, after, self._entry(event, after, who.id)):
            return after
        now = await self.store.get(record.id)
        raise Conflict(f"This call is no longer open: it is {now.state if now else 'gone'}.")

    async def answered(self, record: ApprovalRecord, woken: asyncio.Event) -> ApprovalRecord:
        """Wait until a request is answered or over. The record decides; the event says look."""
        woken.set()  # the answer may have come since the record was read, and found nobody waiting
        while record.state is State.PENDING:
            left = max(0.0, record.expires - self.clock.now())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, LOOK_SECONDS)):
                    await woken.wait()
            woken.clear()
            record = await self._look(record)
        return record

    async def _look(self, record: ApprovalRecord) -> ApprovalRecord:
        try:
            return await self.expire(await self._fresh(record))
        except StreamProtocolError as error:
            log_failure(logger, error, "approval %s: its record could not be read", record.id)
            await asyncio.sleep(1)
            return record

    async def _move(self, before: ApprovalRecord, after: ApprovalRecord, entry: AuditEntry) -> bool:
        if not await self.store.move(before, after, entry):
            return False
        self.observer.moved(before, after, entry)
        if before.state is State.PENDING and after.state is not State.PENDING:
            for listener in self._on_settled:
                listener(after)
        return True

    def is_mine(self, record: ApprovalRecord) -> bool:
        """Return whether this process holds the call."""
        return record.holder == self._holder

    async def hold(self, record: ApprovalRecord, *, is_ours: bool = False) -> ApprovalRecord:
        """Take over a decided call that was never finished. Raise Busy while its process lives.

        `is_ours`: this worker, and certainly no other, runs the chat. Then the worker that should
        have started the call has died, even if the one that decided it lives.
        """
        if record.state not in (State.APPROVED, State.EXECUTING, State.DENIED):
            return record
        is_left_to_us = is_ours and record.state is not State.EXECUTING
        if not (self.is_mine(record) or self.is_abandoned(record) or is_left_to_us):
            raise Busy("This call is already running.")
        if record.state is not State.APPROVED:
            return record
        after = record.hold(self._holder)
        if await self._move(record, after, self._entry("resume", after, self._holder)):
            return after
        raise Busy("This call is already running.")

    def is_abandoned(self, record: ApprovalRecord) -> bool:
        """Return whether the process that holds a call, or has asked about it, is gone."""
        if is_gone(record.holder):
            return True
        if record.holder == BROWSER or is_of_this_host(record.holder):
            return False
        return self.clock.now() > (record.decided_at or record.created) + ABANDONED_SECONDS

    def is_finished_elsewhere(self, record: ApprovalRecord) -> bool:
        """Return whether the result came from a process that still lives, and is not this one."""
        if record.state not in (State.DONE, State.FAILED) or self.is_mine(record):
            return False
        return record.holder != BROWSER and not self.is_abandoned(record)

    def is_over(self, record: ApprovalRecord, *, runs_here: bool) -> bool:
        """Return whether a started call cannot come back any more."""
        if record.state is not State.EXECUTING or runs_here:
            return False
        return record.holder == self._holder or self.is_abandoned(record)

    async def claim(
        self, record: ApprovalRecord, arguments: dict[str, Any], holder: str | None = None
    ) -> ApprovalRecord | None:
        """Start an approved call. None: it must not start; look at the record for why."""
        try:
            after = self._start(record, digest_of(canonical(arguments)), holder or self._holder)
        except Conflict:
            return None
        moved = await self._move(record, after, self._entry("claim", after, self._holder))
        return after if moved else None

    def _start(self, record: ApprovalRecord, digest: str, holder: str) -> ApprovalRecord:
        if record.state is State.EXECUTING and self.policy(record.tool).idempotent:
            if not self.is_abandoned(record):
                raise Conflict("This call is already running.")
            if digest != record.digest:
                raise Conflict("The arguments have changed since they were approved.")
            return record.take_over(holder)
        return record.claim(digest, holder)

    async def finish(self, record: ApprovalRecord, result: Any, *, failed: bool) -> None:
        """Record how a started call ended."""
        text = json.dumps(result, default=str)
        after = record.finish(text, failed)
        entry = self._entry("fail" if failed else "result", after, self._holder)
        if not await self._move(record, after, entry):
            logger.error("approval %s: its result could not be recorded", record.id)

    async def lose(self, record: ApprovalRecord) -> ApprovalRecord:
        """Close a started call whose end nobody will know."""
        return await self._end(record, record.lose(), "unknown", self._holder)

    async def cancel(
        self, record: ApprovalRecord, reason: str, *, runs_here: bool = False
    ) -> ApprovalRecord:
        """Close a request because the asker moved on. A call that runs or ended stays as it is."""
        if self.is_over(record, runs_here=runs_here):
            return await self.lose(record)
        if record.state not in (State.PENDING, State.APPROVED):
            return record
        return await self._end(record, record.cancel(reason), "cancel", record.principal)

    async def withdraw(self, record: ApprovalRecord, *, runs_here: bool = False) -> ApprovalRecord:
        """Close a request that the agent took back. An answered one is cancelled instead."""
        if record.state is not State.PENDING:
            return await self.cancel(record, "the agent took it back", runs_here=runs_here)
        return await self._end(record, record.withdraw(), "withdraw", record.principal)

    async def expire(self, record: ApprovalRecord) -> ApprovalRecord:
        """Close a request whose time is over."""
        self._learn_time(record)
        if record.state is not State.PENDING or self.clock.now() < record.expires:
            return record
        return await self._end(record, record.expire(self.clock.now()), "expire", "clock")

    async def _end(
        self, record: ApprovalRecord, after: ApprovalRecord, event: str, actor: str
    ) -> ApprovalRecord:
        """Commit the end of a call. Return what became of it meanwhile if it has moved."""
        moved = await self._move(record, after, self._entry(event, after, actor))
        return after if moved else await self._fresh(record)

    def _learn_time(self, record: ApprovalRecord) -> None:
        self.clock.at_least(max(record.created, record.decided_at or 0.0))

    async def _fresh(self, record: ApprovalRecord) -> ApprovalRecord:
        return await self.store.get(record.id) or record

    def _entry(self, event: str, record: ApprovalRecord, actor: str) -> AuditEntry:
        """Make the line of the trail on what happened to a record, which is as it is now."""
        return AuditEntry(
            at=self.clock.now(),
            approval_id=record.id,
            event=event,
            actor=actor,
            state=record.state.value,
            digest=record.digest,
            reason=record.reason if event in ("approve", "deny", "cancel") else None,
        )
