"""ApprovalBook as a model: any senders, from any state they once saw, in any order and process."""

import socket
from collections.abc import Coroutine
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.approvals.record import MOVES, ApprovalRecord, Principal, State
from adk_stream_protocol.approvals.response import response_of
from adk_stream_protocol.approvals.store import AuditEntry
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.clock import SteadyClock
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.process_id import is_gone

T = TypeVar("T")

PLACE = ChatId("shop", "alice", "s")
ARGUMENTS: dict[str, Any] = {"amount": 5, "to": "Bob"}
OTHERS: dict[str, Any] = {"amount": 6, "to": "Bob"}
POLICIES = [
    ApprovalPolicy("pay"),
    ApprovalPolicy("again", idempotent=True),
    ApprovalPolicy("chain", steps=("manager", "executive"), ttl=20),
]
HOLDERS = ["elsewhere:1:1", f"{socket.gethostname()}:1:never", "elsewhere:2:2"]
PEOPLE = [
    Principal("alice"),
    Principal("alice", frozenset({"manager"})),
    Principal("mia", frozenset({"manager"})),
    Principal("eve", frozenset({"executive"})),
    Principal("mallory"),
]


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """The memory store never suspends, so this needs no event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it suspended")


class Machine(RuleBasedStateMachine):
    seen = Bundle("seen")
    """Records as somebody once saw them; most are out of date."""
    running = Bundle("running")

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.store = MemoryApprovalStore()
        self.processes = [self._process(holder) for holder in HOLDERS]
        self.asked = 0
        self.starts: dict[str, int] = {}
        self.settled: dict[str, ApprovalRecord] = {}
        self.told: dict[str, list[str]] = {}
        self.trail: list[AuditEntry] = []

    def _process(self, holder: str) -> ApprovalBook:
        approvals = ApprovalBook(
            self.store, POLICIES, ttl=10, clock=SteadyClock(lambda: self.now, lambda: (self.now,))
        )
        approvals._holder = holder  # pyright: ignore[reportPrivateUsage]
        return approvals

    @rule(target=seen, tool=st.sampled_from(["pay", "again", "chain"]), again=st.booleans())
    def ask(self, tool: str, again: bool) -> ApprovalRecord:
        self.asked += 0 if again and self.asked else 1
        return at_once(
            self.processes[0].ask(
                PLACE,
                f"adk-{len(self.trail)}-{self.asked}",
                call_id=f"call-{self.asked}",
                invocation_id="i",
                tool=tool,
                arguments=ARGUMENTS,
            )
        )

    @rule(seconds=st.sampled_from([0.1, 0.5, 9.5]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(target=seen, one=seen)
    def look(self, one: ApprovalRecord) -> ApprovalRecord:
        found = at_once(self.store.get(one.id))
        assert found is not None
        return found

    @rule(
        target=seen,
        one=seen,
        who=st.sampled_from(PEOPLE),
        approved=st.booleans(),
        process=st.integers(0, 2),
    )
    def decide(
        self, one: ApprovalRecord, who: Principal, approved: bool, process: int
    ) -> ApprovalRecord:
        try:
            after = at_once(self.processes[process].decide(one, who, approved, "why"))
        except StreamProtocolError as refused:
            assert refused.status in (403, 409, 410)
            return one
        assert one.waits_for(who) and self.now < one.expires
        self.told.setdefault(one.id, []).append("approve" if approved else "deny")
        return after

    @rule(targets=(seen, running), one=seen, process=st.integers(0, 2), same=st.booleans())
    def claim(self, one: ApprovalRecord, process: int, same: bool) -> Any:
        before = at_once(self.store.get(one.id))
        assert before is not None
        started = at_once(self.processes[process].claim(one, ARGUMENTS if same else OTHERS))
        if started is None:
            return multiple()
        assert same, "other arguments than the approved ones were started"
        self.starts[one.id] = self.starts.get(one.id, 0) + 1
        again = before.state is State.EXECUTING
        assert not again or (one.tool == "again" and is_gone(before.holder))
        return started

    @rule(target=seen, one=consumes(running), failed=st.booleans(), process=st.integers(0, 2))
    def finish(self, one: ApprovalRecord, failed: bool, process: int) -> ApprovalRecord:
        at_once(self.processes[process].finish(one, {"ok": 1}, failed=failed))
        return one

    @rule(target=seen, one=seen, process=st.integers(0, 2), how=st.sampled_from(["cancel", "hold"]))
    def cancel_or_hold(self, one: ApprovalRecord, process: int, how: str) -> ApprovalRecord:
        approvals = self.processes[process]
        try:
            return at_once(approvals.cancel(one, "on") if how == "cancel" else approvals.hold(one))
        except StreamProtocolError as refused:
            assert refused.status == 409
            return one

    @rule(target=seen, one=seen, process=st.integers(0, 2))
    def withdraw(self, one: ApprovalRecord, process: int) -> ApprovalRecord:
        return at_once(self.processes[process].withdraw(one))

    @rule(target=seen, one=seen, process=st.integers(0, 2))
    def expire(self, one: ApprovalRecord, process: int) -> ApprovalRecord:
        return at_once(self.processes[process].expire(one))

    @rule(one=seen)
    def lose(self, one: ApprovalRecord) -> None:
        if one.state is State.EXECUTING:
            said = at_once(self.processes[0].lose(one))
            assert said == at_once(self.store.get(one.id)), "what is said must be what is stored"

    @invariant()
    def the_trail_only_grows_and_explains_every_state(self) -> None:
        trail = at_once(self.store.trail(None))
        assert trail[: len(self.trail)] == self.trail
        self.trail = trail
        for record in at_once(self.store.listed(None, 1000)):
            self._explain(record, [line for line in trail if line.approval_id == record.id])

    def _explain(self, record: ApprovalRecord, lines: list[AuditEntry]) -> None:
        states = [State(line.state) for line in lines]
        assert lines[0].event == "request" and states[0] is State.PENDING
        assert states[-1] is record.state and {line.digest for line in lines} == {record.digest}
        for line, before, after in zip(lines[1:], states, states[1:], strict=False):
            assert after in MOVES[before] or line.event == "resume"
        claims = [index for index, line in enumerate(lines) if line.event == "claim"]
        assert len(claims) == self.starts.get(record.id, 0)
        assert len(claims) <= 1 or record.tool == "again"
        for index in claims:
            approvals = [line for line in lines[:index] if line.event == "approve"]
            assert len(approvals) == max(len(record.steps), 1)
            assert all(line.at < record.expires for line in approvals)
        said = [line.event for line in lines if line.event in ("approve", "deny")]
        assert said == self.told.get(record.id, []), "what was acknowledged is what is stored"

    @invariant()
    def what_is_settled_never_changes(self) -> None:
        for record in at_once(self.store.listed(None, 1000)):
            if record.is_settled:
                assert self.settled.setdefault(record.id, record) == record
                assert response_of(record) is not None
            else:
                assert record.id not in self.settled and response_of(record) is None


class TestApprovals(Machine.TestCase):
    settings = settings(max_examples=300, stateful_step_count=50, deadline=None)


def started() -> tuple[MemoryApprovalStore, ApprovalBook, ApprovalRecord]:
    """A call of a tool that may be started again, begun by a process that is gone."""
    store = MemoryApprovalStore()
    approvals = ApprovalBook(store, POLICIES)
    ask = approvals.ask(
        PLACE, "adk-1", call_id="c", invocation_id="i", tool="again", arguments=ARGUMENTS
    )
    approved = at_once(approvals.decide(at_once(ask), PEOPLE[0], True, None))
    record = at_once(approvals.claim(approved, ARGUMENTS, HOLDERS[1]))
    assert record is not None
    return store, approvals, record


def test_a_second_start_needs_the_approved_arguments_too() -> None:
    _, approvals, record = started()
    assert at_once(approvals.claim(record, OTHERS)) is None
    assert at_once(approvals.claim(record, ARGUMENTS)) is not None


def test_what_is_said_to_be_lost_is_what_is_stored() -> None:
    store, approvals, record = started()
    at_once(approvals.finish(record, {"ok": 1}, failed=False))
    assert at_once(approvals.lose(record)) == at_once(store.get(record.id))
