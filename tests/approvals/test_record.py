"""ApprovalRecord: every arrow that exists, every arrow that does not, and who may take it."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol.approvals.record import (
    MOVES,
    ApprovalRecord,
    Principal,
    State,
    canonical,
    digest_of,
    idempotency_key,
)
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.errors import Conflict, Expired, Forbidden, StreamProtocolError

ALICE = Principal("alice")
MANAGER = Principal("mia", frozenset({"manager"}))
EXECUTIVE = Principal("eve", frozenset({"executive"}))
EXPIRES = 100.0

PENDING = ApprovalRecord(
    id="adk-1",
    app="shop",
    principal="alice",
    session="s",
    call_id="c",
    invocation_id="i",
    tool="pay",
    arguments="{}",
    digest=digest_of("{}"),
    created=1.0,
    expires=EXPIRES,
    idempotency_key=idempotency_key(ChatId("shop", "alice", "s"), "c"),
)

Move = Callable[[ApprovalRecord], ApprovalRecord]

METHODS: dict[str, Move] = {
    "approve": lambda one: one.decide(ALICE, True, "fine", 2.0),
    "deny": lambda one: one.decide(ALICE, False, "no", 2.0),
    "hold": lambda one: one.hold("h"),
    "claim": lambda one: one.claim(one.digest, "h"),
    "finish": lambda one: one.finish("{}", failed=False),
    "fail": lambda one: one.finish("{}", failed=True),
    "take_over": lambda one: one.take_over("other"),
    "lose": lambda one: one.lose(),
    "cancel": lambda one: one.cancel("moved on"),
    "withdraw": lambda one: one.withdraw(),
    "expire": lambda one: one.expire(EXPIRES),
}

ARROWS: dict[tuple[State, str], State] = {
    (State.PENDING, "approve"): State.APPROVED,
    (State.PENDING, "deny"): State.DENIED,
    (State.PENDING, "cancel"): State.CANCELLED,
    (State.PENDING, "withdraw"): State.WITHDRAWN,
    (State.PENDING, "expire"): State.EXPIRED,
    (State.APPROVED, "hold"): State.APPROVED,
    (State.APPROVED, "claim"): State.EXECUTING,
    (State.APPROVED, "cancel"): State.LAPSED,
    (State.EXECUTING, "finish"): State.DONE,
    (State.EXECUTING, "fail"): State.FAILED,
    (State.EXECUTING, "take_over"): State.EXECUTING,
    (State.EXECUTING, "lose"): State.UNKNOWN,
}
SETTLED = {
    State.DENIED,
    State.EXPIRED,
    State.CANCELLED,
    State.WITHDRAWN,
    State.DONE,
    State.FAILED,
    State.UNKNOWN,
    State.LAPSED,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("state", State)
def test_every_arrow_and_every_forbidden_one(state: State, method: str) -> None:
    before = replace(PENDING, state=state, result="kept" if state in SETTLED else None)
    arrow = ARROWS.get((state, method))
    if arrow is None:
        late = state is State.EXPIRED and method in ("approve", "deny")
        with pytest.raises(Expired if late else Conflict, match=state.value):
            METHODS[method](before)
        return
    after = METHODS[method](before)
    assert after.state is arrow
    assert arrow in MOVES[state] or (state, method) == (State.APPROVED, "hold")
    fixed = ("id", "app", "principal", "session", "call_id", "tool", "arguments", "digest")
    fixed += ("created", "expires", "idempotency_key", "steps", "invocation_id")
    assert all(getattr(after, name) == getattr(before, name) for name in fixed)


def test_the_settled_states_are_those_without_an_arrow() -> None:
    assert {state for state in State if replace(PENDING, state=state).is_settled} == SETTLED
    assert {state for state, _ in ARROWS} == set(MOVES)


def test_a_decision_says_who_when_and_why() -> None:
    after = PENDING.decide(ALICE, True, "fine", 2.0)
    assert (after.decided_by, after.decided_at, after.reason) == ("alice", 2.0, "fine")
    claimed = after.hold("h1").claim(after.digest, "h2")
    assert (after.hold("h1").holder, claimed.holder) == ("h1", "h2")
    assert claimed.take_over("h3").holder == "h3"
    assert claimed.finish('{"a":1}', failed=False).result == '{"a":1}'


def test_a_claim_with_other_arguments_is_refused() -> None:
    approved = METHODS["approve"](PENDING)
    with pytest.raises(Conflict, match="have changed since they were approved"):
        approved.claim(digest_of('{"amount":2}'), "h")


def test_the_deadline_is_the_first_moment_that_is_too_late() -> None:
    for approved in (True, False):
        assert PENDING.decide(ALICE, approved, None, EXPIRES - 0.001).state is not State.PENDING
        for late in (EXPIRES, EXPIRES + 1, float("inf")):
            with pytest.raises(Expired):
                PENDING.decide(ALICE, approved, None, late)
    with pytest.raises(Conflict, match="not expired"):
        PENDING.expire(EXPIRES - 0.001)
    assert PENDING.expire(EXPIRES).state is State.EXPIRED


def test_without_steps_only_the_asker_decides() -> None:
    assert PENDING.waits_for(ALICE) and not PENDING.waits_for(MANAGER)
    with pytest.raises(Forbidden, match="the person who asked"):
        PENDING.decide(MANAGER, True, None, 2.0)


def test_steps_are_taken_in_order_by_the_right_role() -> None:
    record = replace(PENDING, steps=("manager", "executive"))
    with pytest.raises(Forbidden, match="manager"):
        record.decide(EXECUTIVE, True, None, 2.0)
    second = record.decide(MANAGER, True, "ok", 2.0)
    assert (second.state, second.step, second.decided_by) == (State.PENDING, 1, "mia")
    assert second.waits_for(EXECUTIVE) and not second.waits_for(MANAGER)
    with pytest.raises(Forbidden, match="executive"):
        second.decide(MANAGER, True, None, 3.0)
    with pytest.raises(Expired):
        second.decide(EXECUTIVE, True, None, EXPIRES)
    assert second.decide(EXECUTIVE, True, None, 3.0).state is State.APPROVED
    assert second.decide(EXECUTIVE, False, None, 3.0).state is State.DENIED
    assert record.decide(MANAGER, False, None, 2.0).state is State.DENIED


def test_nobody_approves_their_own_request_where_steps_exist() -> None:
    record = replace(PENDING, steps=("manager",))
    for who in (ALICE, Principal("alice", frozenset({"manager"}))):
        assert not record.waits_for(who)
        for approved in (True, False):
            with pytest.raises(Forbidden):
                record.decide(who, approved, None, 2.0)


@pytest.mark.parametrize("state", [state for state in State if state is not State.PENDING])
def test_what_is_not_pending_waits_for_nobody(state: State) -> None:
    assert not replace(PENDING, state=state).waits_for(ALICE)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=5), st.randoms())
def test_the_order_of_keys_makes_no_difference(args: dict[str, Any], random: Any) -> None:
    keys = list(args)
    random.shuffle(keys)
    assert canonical({key: args[key] for key in keys}) == canonical(args)
    assert canonical(json.loads(json.dumps(args))) == canonical(args)
    assert digest_of(canonical(args)) == digest_of(canonical(args))


def test_nested_keys_are_sorted_too_and_lists_are_not() -> None:
    assert canonical({"b": [2, 1], "a": {"d": 1, "c": 2}}) == '{"a":{"c":2,"d":1},"b":[2,1]}'
    assert canonical({"a": [1, 2]}) != canonical({"a": [2, 1]})


def test_different_arguments_have_different_digests() -> None:
    different: list[dict[str, Any]] = [
        {},
        {"a": None},
        {"a": 1},
        {"a": "1"},
        {"a": True},
        {"a": 1.5},
        {"a": [1]},
        {"b": 1},
        {"a": "é"},
        {"a": "e\u0301"},
        {"a": "日本\u202e"},
        {"a": "日本"},
        {"a": "\ud800"},
    ]
    digests = {digest_of(canonical(args)) for args in different}
    assert len(digests) == len(different)
    assert digest_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("number", [1e16, 1e22, -3e18])
def test_a_whole_number_is_the_same_however_a_store_writes_it(number: float) -> None:
    """PostgreSQL's JSONB, where ADK keeps calls, gives 1e16 back as 10000000000000000."""
    assert canonical({"amount": number}) == canonical({"amount": int(number)})


def test_every_part_of_the_key_counts() -> None:
    parts = ("app", "user", "chat", "call")
    keys = {idempotency_key(ChatId(*order[:3]), order[3]) for order in permutations(parts)}
    assert len(keys) == 24
    assert idempotency_key(ChatId(*parts[:3]), parts[3]) == idempotency_key(
        ChatId(*parts[:3]), parts[3]
    )


@given(st.lists(st.sampled_from(["a", "b", "\n", "\x00", "\\n", '"', ",", "é"]), max_size=6))
def test_keys_do_not_collide_by_moving_characters(pieces: list[str]) -> None:
    text = "".join(pieces)
    cuts = [(text[:i], text[i:j], text[j:], "c") for j in range(len(text) + 1) for i in range(j)]
    assert len({idempotency_key(ChatId(*cut[:3]), cut[3]) for cut in cuts}) == len(set(cuts))


def test_refusals_are_answers_for_users() -> None:
    for state in SETTLED:
        with pytest.raises(StreamProtocolError) as refused:
            replace(PENDING, state=state).decide(ALICE, True, None, 2.0)
        assert refused.value.status == (410 if state is State.EXPIRED else 409)
        assert state.value in refused.value.text


@pytest.mark.parametrize("state", State)
def test_a_repeat_is_what_the_same_person_said_and_still_stands(state: State) -> None:
    decided = replace(PENDING, state=state, decided_by="alice")
    ran = (State.APPROVED, State.EXECUTING, State.DONE, State.FAILED, State.UNKNOWN)
    assert decided.was_decided(ALICE, True) is (state in ran)
    assert decided.was_decided(ALICE, False) is (state is State.DENIED)
    for approved in (True, False):
        assert not decided.was_decided(MANAGER, approved)
        assert not replace(PENDING, state=state).was_decided(ALICE, approved)


ARGUMENTS = {"to": ["Bob", {"id": 2**60 + 1}], "ok": True, "huge": 10**400, "amount": 5}


@pytest.mark.parametrize(
    "shown",
    [
        ARGUMENTS,
        {**ARGUMENTS, "amount": 5.0},
        {**ARGUMENTS, "to": ["Bob", {"id": 2**60}]},
        dict(reversed(ARGUMENTS.items())),
    ],
)
def test_arguments_are_the_same_however_a_browser_writes_them(shown: object) -> None:
    text = canonical(ARGUMENTS)
    record = replace(PENDING, arguments=text, digest=digest_of(text))
    assert record.has_arguments(shown)


@pytest.mark.parametrize(
    "shown",
    [
        None,
        [],
        {},
        {**ARGUMENTS, "amount": 6},
        {**ARGUMENTS, "ok": 1},
        {**ARGUMENTS, "huge": 10**401},
        {**ARGUMENTS, "to": ["Bob", {"id": 2**60 + 2**9}]},
        {**ARGUMENTS, "more": None},
    ],
)
def test_other_arguments_are_not_the_same(shown: object) -> None:
    text = canonical(ARGUMENTS)
    record = replace(PENDING, arguments=text, digest=digest_of(text))
    assert not record.has_arguments(shown)
