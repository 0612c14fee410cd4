"""ApprovalPolicy: what holds for a tool of which the developer says nothing."""

from dataclasses import FrozenInstanceError

import pytest

from adk_stream_protocol import ApprovalPolicy


def test_without_a_word_the_asker_decides_and_nothing_is_started_twice() -> None:
    policy = ApprovalPolicy("pay")
    assert (policy.steps, policy.idempotent, policy.risk, policy.ttl) == ((), False, "medium", None)


def test_a_policy_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        ApprovalPolicy("pay").idempotent = True  # pyright: ignore[reportAttributeAccessIssue]
