"""Signals while chats run: they are drained before the server hears of it."""

import asyncio
import signal
import threading
from collections.abc import Generator
from types import FrameType

import pytest

from adk_stream_protocol.chats.draining import Draining


class Server:
    """The handlers of a server, and what they heard."""

    def __init__(self) -> None:
        self.heard: list[int] = []
        self.told = asyncio.Event()

    def handle(self, number: int, frame: FrameType | None) -> None:
        self.heard.append(number)
        self.told.set()


class Chats:
    """Drained when the test says so."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.may_end = asyncio.Event()
        self.fails = False

    async def drain(self) -> None:
        self.began.set()
        await self.may_end.wait()
        if self.fails:
            raise OSError("the store is gone")


@pytest.fixture
def server() -> Generator[Server]:
    """Its handlers are those of the process until the test ends."""
    server = Server()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, server.handle)
    yield server
    for number, handler in before.items():
        signal.signal(number, handler)


async def within(event: asyncio.Event) -> None:
    await asyncio.wait_for(event.wait(), 60)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_chats_end_first(server: Server, number: signal.Signals) -> None:
    chats = Chats()
    with Draining(chats.drain):
        signal.raise_signal(number)
        await within(chats.began)
        assert server.heard == []
        chats.may_end.set()
        await within(server.told)
    assert server.heard == [number]


async def test_a_second_sigterm_changes_nothing_and_a_second_ctrl_c_is_passed_on(
    server: Server,
) -> None:
    chats = Chats()
    with Draining(chats.drain):
        signal.raise_signal(signal.SIGTERM)
        await within(chats.began)
        signal.raise_signal(signal.SIGTERM)
        assert server.heard == []
        signal.raise_signal(signal.SIGINT)
        assert server.heard == [signal.SIGINT]
        server.told.clear()
        chats.may_end.set()
        await within(server.told)
    assert server.heard == [signal.SIGINT, signal.SIGTERM]


async def test_the_server_hears_of_it_also_if_draining_fails(server: Server) -> None:
    chats = Chats()
    chats.fails = True
    chats.may_end.set()
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    draining = Draining(chats.drain)
    with draining:
        signal.raise_signal(signal.SIGTERM)
        await within(server.told)
    assert server.heard == [signal.SIGTERM]


async def test_the_handlers_are_put_back(server: Server) -> None:
    with Draining(Chats().drain):
        assert signal.getsignal(signal.SIGTERM) != server.handle
    assert signal.getsignal(signal.SIGTERM) == server.handle


async def test_a_handler_that_was_set_since_stays(server: Server) -> None:
    with Draining(Chats().drain):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) == server.handle


async def test_signals_that_no_server_handles_are_left_alone(server: Server) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with Draining(Chats().drain):
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


async def test_outside_of_the_main_thread_nothing_is_set(server: Server) -> None:
    async def serve() -> None:
        with Draining(Chats().drain):
            assert signal.getsignal(signal.SIGTERM) == server.handle

    failures: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    await asyncio.to_thread(thread.join)
    assert failures == []
