"""Deadlines hold when somebody sets the clock of the computer."""

import pytest

from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.clock import SteadyClock
from adk_stream_protocol.errors import Expired

TTL = 600
ALICE = Principal("alice")


class Computer:
    """A computer whose clock can be set, and the processes on it."""

    def __init__(self) -> None:
        self.wall, self.ticks = 1_000_000.0, 0.0
        self.store = MemoryApprovalStore()

    def process(self) -> ApprovalBook:
        clock = SteadyClock(lambda: self.wall, lambda: (self.ticks,))
        return ApprovalBook(self.store, ttl=TTL, clock=clock)

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.ticks += seconds


async def ask(book: ApprovalBook) -> ApprovalRecord:
    place = ChatId("app", "alice", "c")
    return await book.ask(
        place, "a1", call_id="c1", invocation_id="i1", tool="pay", arguments={"amount": 5}
    )


@pytest.mark.parametrize("jump", [-3_600, 3_600, -86_400 * 365])
async def test_a_request_lives_as_long_as_it_should_and_no_longer(jump: float) -> None:
    computer = Computer()
    book = computer.process()
    record = await ask(book)
    computer.wait(TTL - 1)
    computer.wall += jump
    assert (await book.expire(record)).state is State.PENDING
    computer.wait(1)
    with pytest.raises(Expired):
        await book.decide(record, ALICE, True, None)
    assert (await book.expire(record)).state is State.EXPIRED


async def test_a_yes_in_time_counts_although_the_clock_was_set_forward() -> None:
    computer = Computer()
    book = computer.process()
    record = await ask(book)
    computer.wall += 3_600
    assert (await book.decide(record, ALICE, True, None)).state is State.APPROVED


async def test_a_process_that_starts_after_the_clock_was_set_back_gives_no_life() -> None:
    computer = Computer()
    before = computer.process()
    record = await ask(before)
    computer.wait(TTL - 1)
    other = await before.ask(
        ChatId("app", "alice", "d"), "a2", call_id="c2", invocation_id="i", tool="p", arguments={}
    )
    computer.wall -= 3_600
    after = computer.process()
    await after.start()
    assert after.clock.now() >= other.created
    computer.wait(1)
    with pytest.raises(Expired):
        await after.decide(record, ALICE, True, None)


async def test_a_record_of_a_computer_that_is_ahead_is_not_older_than_now() -> None:
    computer = Computer()
    record = await ask(computer.process())
    computer.wall -= 60
    late = computer.process()
    assert (await late.expire(record)).state is State.PENDING
    assert late.clock.now() == record.created
