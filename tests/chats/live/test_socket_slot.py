"""The socket of a live run: the newest wins, and who leaves may come back for a while."""

import asyncio

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.live.socket_slot import SocketSlot
from adk_stream_protocol.chats.turn import Turn

HOUR = 3_600.0


class Socket:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def turn_started(self, turn: Turn) -> None:
        self.log.append(turn.reference)

    def replaced(self) -> None:
        self.log.append("replaced")


class Run:
    """A run that is given up at some point."""

    def __init__(self, grace: float) -> None:
        self.given_up = asyncio.Event()
        self.slot = SocketSlot(grace, self.given_up.set)


async def test_the_newest_socket_wins_and_hears_of_turns() -> None:
    slot, first, second = Run(HOUR).slot, Socket(), Socket()
    turn = Turn("r", ChatId("app", "u", "c"))
    slot.announce(turn)
    assert not slot.is_attached
    slot.attach(first)
    slot.attach(first)
    slot.announce(turn)
    slot.attach(second)
    slot.announce(turn)
    assert (first.log, second.log) == (["r", "replaced"], ["r"]) and slot.is_attached


async def test_a_run_is_given_up_after_the_grace_period() -> None:
    run, socket = Run(0), Socket()
    run.slot.attach(socket)
    run.slot.detach(socket)
    assert not run.slot.is_attached
    await asyncio.wait_for(run.given_up.wait(), 60)


async def test_who_comes_back_in_time_keeps_the_run() -> None:
    run, socket = Run(0), Socket()
    run.slot.attach(socket)
    run.slot.detach(socket)
    run.slot.attach(Socket())
    for _ in range(5):
        await asyncio.sleep(0)
    assert not run.given_up.is_set() and run.slot.is_attached


async def test_a_socket_that_was_replaced_starts_no_grace_period() -> None:
    run, old, new = Run(0), Socket(), Socket()
    run.slot.attach(old)
    run.slot.attach(new)
    run.slot.detach(old)
    for _ in range(5):
        await asyncio.sleep(0)
    assert run.slot.is_attached and not run.given_up.is_set()


async def test_a_socket_of_another_worker_replaces_the_one_here() -> None:
    run, socket = Run(0), Socket()
    run.slot.replace()
    run.slot.attach(socket)
    run.slot.replace()
    assert socket.log == ["replaced"] and not run.slot.is_attached
    run.slot.detach(socket)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not run.given_up.is_set(), "its run ends with the chat's leaving, not with the grace"


async def test_a_run_that_is_over_is_not_given_up() -> None:
    run, socket = Run(0), Socket()
    run.slot.attach(socket)
    run.slot.detach(socket)
    run.slot.stop()
    run.slot.stop()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not run.given_up.is_set()
