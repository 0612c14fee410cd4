"""Deadlines of browser calls: one timer, for the next call whose time is over."""

import asyncio
import time

import pytest

from adk_stream_protocol.chats.live.link import Deadlines
from adk_stream_protocol.convert.calls import Call

HOUR = 3_600.0


class Waiting:
    """Calls that wait, and those that were late."""

    def __init__(self, *calls: Call) -> None:
        self.calls = list(calls)
        self.late: list[list[str]] = []
        self.told = asyncio.Event()
        self.deadlines = Deadlines(HOUR, lambda: self.calls, self._on_late)

    def _on_late(self, calls: list[Call]) -> None:
        self.late.append([call.id for call in calls])
        self.told.set()


def call(name: str, asked: float = 0.0, ttl: float | None = None) -> Call:
    """A browser call that was made so many seconds ago."""
    return Call(name, name, {}, "i", "clerk", time.time() - asked, [name], browser=True, ttl=ttl)


async def test_a_call_that_is_late_already_is_reported_at_once() -> None:
    waiting = Waiting(call("late", asked=HOUR + 1), call("early"))
    waiting.deadlines.watch()
    await asyncio.wait_for(waiting.told.wait(), 60)
    assert waiting.late == [["late"]]


async def test_all_that_are_late_are_reported_together() -> None:
    waiting = Waiting(call("a", asked=5, ttl=1), call("b", asked=HOUR + 1), call("c", ttl=HOUR))
    waiting.deadlines.watch()
    await asyncio.wait_for(waiting.told.wait(), 60)
    assert waiting.late == [["a", "b"]]


@pytest.mark.parametrize("calls", [[], [call("early")]], ids=["none", "one"])
async def test_what_is_in_time_is_left_alone(calls: list[Call]) -> None:
    waiting = Waiting(*calls)
    waiting.deadlines.watch()
    for _ in range(5):
        await asyncio.sleep(0)
    assert waiting.late == []
    waiting.deadlines.stop()


async def test_a_call_that_was_answered_meanwhile_is_not_late() -> None:
    waiting = Waiting(call("answered", asked=HOUR + 1), call("early"))
    waiting.deadlines.watch()
    waiting.calls[0] = call("next")
    for _ in range(5):
        await asyncio.sleep(0)
    assert waiting.late == [], "the timer looks again and waits on"
    waiting.calls = [call("late", asked=HOUR + 1)]
    waiting.deadlines.watch()
    await asyncio.wait_for(waiting.told.wait(), 60)
    assert waiting.late == [["late"]]


async def test_after_a_stop_nothing_is_reported() -> None:
    waiting = Waiting(call("late", asked=HOUR + 1))
    waiting.deadlines.watch()
    waiting.deadlines.stop()
    for _ in range(5):
        await asyncio.sleep(0)
    assert waiting.late == []
