"""A token bucket for each principal and route."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol import MemoryLimiter, Rate
from adk_stream_protocol.limiter import MAX_KEPT


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_so_many_at_once_and_then_so_many_per_second() -> None:
    time = Time()
    limiter = MemoryLimiter({"chat": Rate(2, per_second=0.5)}, clock=time)
    assert [await limiter.wait_for("alice", "chat") for _ in range(3)] == [0, 0, 2]
    assert await limiter.wait_for("bob", "chat") == 0
    assert await limiter.wait_for("alice", "stop") == 0
    time.now = 1.0
    assert await limiter.wait_for("alice", "chat") == 1
    time.now = 2.0
    assert await limiter.wait_for("alice", "chat") == 0


async def test_a_default_counts_each_other_route_apart() -> None:
    limiter = MemoryLimiter({}, default=Rate(1, 1), clock=Time())
    assert await limiter.wait_for("alice", "chat") == 0
    assert await limiter.wait_for("alice", "stop") == 0
    assert await limiter.wait_for("alice", "chat") == 1


@given(st.lists(st.floats(0, 3), max_size=60))
async def test_no_more_pass_than_the_rate_allows(pauses: list[float]) -> None:
    time = Time()
    limiter = MemoryLimiter({"chat": Rate(3, 2)}, clock=time)
    passed = 0
    for pause in pauses:
        time.now += pause
        passed += await limiter.wait_for("alice", "chat") == 0
    assert passed <= 3 + 2 * time.now + 1e-6


async def test_only_so_many_principals_are_remembered() -> None:
    limiter = MemoryLimiter({"chat": Rate(1, 0.001)}, clock=Time())
    for number in range(MAX_KEPT + 1):
        assert await limiter.wait_for(f"user-{number}", "chat") == 0
    assert await limiter.wait_for("user-0", "chat") == 0
    assert await limiter.wait_for(f"user-{MAX_KEPT}", "chat") > 0


def test_a_route_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="'chatt' is no route; the routes are chat, "):
        MemoryLimiter({"chatt": Rate(1, 1)})


@pytest.mark.parametrize(("at_once", "per_second"), [(0, 1.0), (1, 0.0), (1, -1.0)])
def test_a_rate_that_lets_nothing_through_is_refused(at_once: int, per_second: float) -> None:
    with pytest.raises(ValueError, match="a rate needs"):
        Rate(at_once, per_second)
