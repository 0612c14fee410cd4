"""ApprovalRecord: one gated call and its life, as a pure state machine.

pending → approved | denied | expired | cancelled | withdrawn
approved → executing | lapsed      executing → done | failed | unknown
A function here says what a record becomes, or raises. Whether it did become that is the store's to
decide: it writes only over the state it was computed from.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Conflict, Expired, Forbidden

SCHEMA_VERSION = 1
_SAFE, _LARGEST = 2**53, 10**308


class State(StrEnum):
    """The state of a gated call."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    WITHDRAWN = "withdrawn"
    EXECUTING = "executing"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    LAPSED = "lapsed"


MOVES: dict[State, frozenset[State]] = {
    State.PENDING: frozenset(
        {
            State.PENDING,
            State.APPROVED,
            State.DENIED,
            State.EXPIRED,
            State.CANCELLED,
            State.WITHDRAWN,
        }
    ),
    State.APPROVED: frozenset({State.EXECUTING, State.LAPSED}),
    State.EXECUTING: frozenset({State.EXECUTING, State.DONE, State.FAILED, State.UNKNOWN}),
}
UNANSWERED = frozenset({State.EXPIRED, State.CANCELLED, State.WITHDRAWN})
"""Over without a decision."""
_UNDECIDED = UNANSWERED | {State.PENDING, State.LAPSED}


@dataclass(frozen=True, slots=True)
class Principal:
    """The person who asks or decides: an id, and the roles that `identify` grants."""

    id: str
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """One gated call. Its key is (app, principal, session, call_id)."""

    id: str
    app: str
    principal: str
    session: str
    call_id: str
    invocation_id: str
    tool: str
    arguments: str
    """Canonical JSON; `digest` is its SHA-256."""
    digest: str
    created: float
    expires: float
    idempotency_key: str
    steps: tuple[str, ...] = ()
    """Roles that must agree, in order. Without any, the principal decides."""
    step: int = 0
    state: State = State.PENDING
    decided_by: str | None = None
    decided_at: float | None = None
    reason: str | None = None
    holder: str | None = None
    """The process that asks about the call, then the one that runs it."""
    result: str | None = None

    @property
    def chat_id(self) -> ChatId:
        """Name the chat that the call belongs to."""
        return ChatId(self.app, self.principal, self.session)

    def decide(
        self, who: Principal, approved: bool, reason: str | None, now: float
    ) -> "ApprovalRecord":
        """Return the record after a yes or no. The last of several steps is the decision."""
        if self.state is State.EXPIRED:
            raise Expired("The request expired before this answer; the answer has no effect.")
        if self.state is not State.PENDING:
            raise Conflict(f"This call is no longer open: it is {self.state}.")
        if not self.waits_for(who):
            role = self.steps[self.step] if self.steps else "the person who asked"
            raise Forbidden(f"This request is waiting for someone else's approval: {role}.")
        if now >= self.expires:
            raise Expired("The request expired before this answer; the answer has no effect.")
        decided = replace(self, decided_by=who.id, decided_at=now, reason=reason)
        if not approved:
            return replace(decided, state=State.DENIED)
        if self.step + 1 < len(self.steps):
            return replace(decided, step=self.step + 1)
        return replace(decided, state=State.APPROVED)

    def has_arguments(self, shown: Any) -> bool:
        """Return whether a client that shows this shows the arguments of the call."""
        if digest_of(canonical(shown)) == self.digest:
            return True
        recorded = json.loads(self.arguments)
        return canonical(_in_a_browser(shown)) == canonical(_in_a_browser(recorded))

    def hold(self, holder: str) -> "ApprovalRecord":
        """Return the approved record, which this process will run."""
        return replace(self._from(State.APPROVED), holder=holder)

    def claim(self, digest: str, holder: str) -> "ApprovalRecord":
        """Return the record of a call that starts now, with these arguments."""
        if digest != self.digest:
            raise Conflict("The arguments have changed since they were approved.")
        return replace(self._from(State.APPROVED), state=State.EXECUTING, holder=holder)

    def finish(self, result: str, failed: bool) -> "ApprovalRecord":
        """Return the record after the tool came back."""
        state = State.FAILED if failed else State.DONE
        return replace(self._from(State.EXECUTING), state=state, result=result)

    def take_over(self, holder: str) -> "ApprovalRecord":
        """Start again under the same key, where the tool says that it may be."""
        return replace(self._from(State.EXECUTING), holder=holder)

    def lose(self) -> "ApprovalRecord":
        """Return the record of a started call whose end nobody will ever know."""
        return replace(self._from(State.EXECUTING), state=State.UNKNOWN)

    def cancel(self, reason: str) -> "ApprovalRecord":
        """Return the record after the asker moved on. An approved call not yet started lapses."""
        if self.state is State.APPROVED:
            return replace(self, state=State.LAPSED)
        return replace(self._from(State.PENDING), state=State.CANCELLED, reason=reason)

    def withdraw(self) -> "ApprovalRecord":
        """Take back a request that nobody has answered: the agent does not want it any more."""
        return replace(self._from(State.PENDING), state=State.WITHDRAWN)

    def expire(self, now: float) -> "ApprovalRecord":
        """Return the record of a request that nobody answered in time."""
        pending = self._from(State.PENDING)
        if now < self.expires:
            raise Conflict("The request has not expired yet.")
        return replace(pending, state=State.EXPIRED)

    def _from(self, state: State) -> "ApprovalRecord":
        if self.state is not state:
            raise Conflict(f"This call is {self.state}.")
        return self

    def waits_for(self, who: Principal) -> bool:
        """Return whether this person can decide it now."""
        if self.state is not State.PENDING:
            return False
        if not self.steps:
            return who.id == self.principal
        return who.id != self.principal and self.steps[self.step] in who.roles

    def was_decided(self, who: Principal, approved: bool) -> bool:
        """Return whether this person has said just that, and it stands."""
        if self.decided_by != who.id or self.state in _UNDECIDED:
            return False
        return approved is (self.state is not State.DENIED)

    @property
    def is_settled(self) -> bool:
        return self.state not in MOVES


def canonical(arguments: Any) -> str:
    """Write equal arguments as equal text, whatever order a store returns their keys in.

    It is ASCII: a model may put half a character into an argument, which no database takes.
    """
    return json.dumps(_plain(arguments), sort_keys=True, separators=(",", ":"), default=str)


def _plain(value: Any) -> Any:
    """Write whole numbers in one form: PostgreSQL's JSONB returns 1e16 as an integer."""
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case float():
            return int(value) if value.is_integer() else value
        case _:
            return value


def _in_a_browser(value: Any) -> Any:
    """Return a value as JavaScript has it: its whole numbers have 53 bits."""
    match value:
        case dict():
            return {key: _in_a_browser(item) for key, item in value.items()}
        case list():
            return [_in_a_browser(item) for item in value]
        case int() if abs(value) > _SAFE and not isinstance(value, bool):
            return float(value) if abs(value) < _LARGEST else str(value)
        case _:
            return value


def digest_of(arguments: str) -> str:
    """Return the SHA-256 of canonical arguments."""
    return hashlib.sha256(arguments.encode("ascii")).hexdigest()


def idempotency_key(chat: ChatId, call_id: str) -> str:
    """Make the key of a call: the same in any process, after any restart."""
    text = json.dumps((*chat, call_id))  # no part can reach into the next
    return hashlib.sha256(text.encode("ascii")).hexdigest()
