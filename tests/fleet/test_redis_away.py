"""Redis stops and starts again in the middle: turns finish, and nothing wrong is replayed."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count

import httpx
import pytest

from tests.fleet.conftest import NewFleet
from tests.support.clients.http import decision
from tests.support.clients.roamer import Roamer, Stream, nothing_runs, pay, texts
from tests.support.clients.socket import said
from tests.support.fleet.fleet import Fleet
from tests.support.holds import WHOLE, held

SECONDS = 60.0
_numbers = count()


@pytest.fixture(scope="module")
def pair(new_fleet: NewFleet) -> Generator[Fleet]:
    with new_fleet(2, looks=True) as fleet:
        yield fleet


@pytest.fixture
def two(pair: Fleet, http: httpx.AsyncClient) -> tuple[Roamer, Roamer]:
    """A chat on the first worker, and on the second."""
    number = next(_numbers)
    headers, chat = pair.headers(f"away-{number}"), f"away-{number}"
    one, other = pair.urls
    return Roamer(http, [one], headers, chat), Roamer(http, [other], headers, chat)


@asynccontextmanager
async def away(fleet: Fleet) -> AsyncGenerator[None]:
    await asyncio.to_thread(fleet.redis.kill)
    try:
        yield
    finally:
        await asyncio.to_thread(fleet.redis.start)


@asynccontextmanager
async def resumed(chat: Roamer) -> AsyncGenerator[Stream]:
    """The running turn, once Redis knows it again."""
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(SECONDS):
            while True:
                status, stream = await stack.enter_async_context(chat.trying())
                if status == 200:
                    break
                assert status in (204, 503)
                await stack.aclose()  # else the client runs out of connections
                await asyncio.sleep(0.05)
        yield stream


async def said_when_free(chat: Roamer, text: str) -> str:
    """What is said to a message that waits for what goes on by itself."""
    async with asyncio.timeout(SECONDS):
        while True:
            reply = await chat.say(text)
            if reply.status == 200:
                return reply.said
            assert reply.status == 409, reply.text
            await asyncio.sleep(0.05)


async def test_a_running_turn_finishes_and_resuming_is_refused_plainly(
    two: tuple[Roamer, Roamer], pair: Fleet
) -> None:
    here, there = two
    async with here.streaming(said(held(here.id))) as running, AsyncExitStack() as stack:
        await running.until("1 2 3 ")
        following = await stack.enter_async_context(there.streaming())
        await following.until("1 2 3 ")
        async with away(pair):
            refused = await there.resume()
            assert refused.status == 503 and "cannot be resumed at the moment" in refused.text
            async with there.socket() as socket:
                answer = await socket.resume()
                assert (answer.status, "cannot be resumed" in answer.text) == (0, True)
            assert (await there.request("POST", f"/api/chat/{there.id}/stop")).status_code == 503
            assert (await following.rest()).types[-1] == "error", "who follows is told"
            assert len(await there.messages()) in (1, 2), "the history is read without Redis"
            await here.release()
            assert (await running.rest()).said == WHOLE
    for chat in (here, there):
        await nothing_runs(chat)
        assert texts(await chat.messages(), "assistant") == [WHOLE]


async def test_what_runs_on_can_be_resumed_and_stopped_again(
    two: tuple[Roamer, Roamer], pair: Fleet
) -> None:
    here, there = two
    async with here.streaming(said(held(here.id))) as running:
        await running.until("1 2 3 ")
        async with away(pair):
            assert (await there.resume()).status == 503
        async with resumed(there) as again:
            await here.release()
            assert (await again.rest()).said == WHOLE
        assert (await running.rest()).said == WHOLE
    async with there.streaming(said("/say 3\n/hang 600")) as running:
        await running.until("1 2 3 ")
        assert await here.stop()
        assert (await running.rest()).types[-1] == "finish"


async def test_a_turn_that_begins_without_redis_is_shared_once_it_is_back(
    two: tuple[Roamer, Roamer], pair: Fleet
) -> None:
    here, there = two
    async with away(pair):
        stream = here.streaming(said(held(here.id)))
        running = await stream.__aenter__()
        await running.until("1 2 3 ")
    try:
        async with resumed(there) as again:
            await here.release()
            assert (await again.rest()).said == WHOLE
        assert (await running.rest()).said == WHOLE
    finally:
        await stream.__aexit__(None, None, None)


async def test_a_call_of_a_live_run_that_cannot_be_told_is_run_once_elsewhere(
    two: tuple[Roamer, Roamer], pair: Fleet
) -> None:
    here, there = two
    async with here.socket() as socket:
        (request,) = (await socket.say(pay(here.id))).approvals
        async with away(pair):
            assert (await there.decide(request["approvalId"], True)).status_code == 200
            async with asyncio.timeout(SECONDS):
                while not pair.paid_to().count(here.id):
                    assert (await there.messages())[-1]["role"] == "assistant"
        assert await said_when_free(there, "/say 1") == "1 "
        assert await said_when_free(here, "/say 2") == "1 2 "
    assert pair.paid_to().count(here.id) == 1


async def test_decisions_are_taken_without_redis(two: tuple[Roamer, Roamer], pair: Fleet) -> None:
    here, there = two
    (request,) = (await here.say(pay(here.id))).approvals
    async with away(pair):
        reply = await there.answer(decision(request, True))
        assert "tool-output-available" in reply.types, reply.text
    assert pair.paid_to().count(here.id) == 1
    assert (await here.say("/say 1")).said == "1 "
