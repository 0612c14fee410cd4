"""A worker dies or stalls at the worst moment: what it held goes on elsewhere."""

import asyncio
from collections.abc import AsyncGenerator
from itertools import count

import httpx
import pytest

from tests.support.clients.http import decision
from tests.support.clients.roamer import Roamer, nothing_runs, pay
from tests.support.clients.socket import said
from tests.support.fleet.fleet import Fleet

SECONDS = 60.0
_numbers = count()


@pytest.fixture
async def three(
    small_fleet: Fleet, http: httpx.AsyncClient
) -> AsyncGenerator[tuple[Roamer, Roamer]]:
    """A chat as the first worker's clients see it, and as those of the others do."""
    number = next(_numbers)
    headers, chat = small_fleet.headers(f"lost-{number}"), f"lost-{number}"
    first, *others = small_fleet.urls
    yield Roamer(http, [first], headers, chat), Roamer(http, others, headers, chat)
    worker = small_fleet.workers[0]
    await asyncio.to_thread(worker.kill)
    worker.start()
    await asyncio.to_thread(worker.wait)


async def test_a_running_turn_dies_with_its_worker_and_the_chat_goes_on(
    three: tuple[Roamer, Roamer], small_fleet: Fleet
) -> None:
    chat, elsewhere = three
    async with chat.streaming(said("/say 3\n/hang 600")) as running:
        await running.until("1 2 3 ")
        async with elsewhere.streaming() as following:
            await following.until("1 2 3 ")
            await asyncio.to_thread(small_fleet.workers[0].kill)
            assert (await following.rest()).types[-1] == "error", "who follows is told"
        with pytest.raises(httpx.TransportError):
            await running.rest()
    await nothing_runs(elsewhere)
    assert (await elsewhere.say("/say 2")).said == "1 2 "
    assert (await elsewhere.messages())[-1]["role"] == "assistant"


async def test_a_live_wait_of_a_dead_worker_is_answered_elsewhere(
    three: tuple[Roamer, Roamer], small_fleet: Fleet
) -> None:
    chat, elsewhere = three
    async with chat.socket() as socket:
        (request,) = (await socket.say(pay(chat.id))).approvals
        await asyncio.to_thread(small_fleet.workers[0].kill)
    replies = [await elsewhere.answer(decision(request, True)) for _ in range(2)]
    assert all("tool-output-available" in reply.types for reply in replies)
    assert small_fleet.paid_to().count(chat.id) == 1


async def test_a_decision_for_a_worker_that_stalls_and_dies_is_not_lost(
    three: tuple[Roamer, Roamer], small_fleet: Fleet
) -> None:
    """It is stored by one that lives, and that will never go on with the chat by itself."""
    chat, elsewhere = three
    async with chat.socket() as socket:
        (request,) = (await socket.say(pay(chat.id))).approvals
        small_fleet.workers[0].freeze()
        decided = await elsewhere.decide(request["approvalId"], True)
        assert (decided.status_code, decided.json()["state"]) == (200, "approved")
        assert (await elsewhere.say("/say 1")).status == 409, "the stalled one has the chat"
        await asyncio.to_thread(small_fleet.workers[0].kill)
    elsewhere.next_url()  # not the one that decided
    for _ in range(2):
        reply = await elsewhere.answer(decision(request, True))
        assert "tool-output-available" in reply.types, reply.text
    assert small_fleet.paid_to().count(chat.id) == 1
    assert (await elsewhere.say("/say 1")).said == "1 "


async def test_a_payment_under_way_is_unknown_and_never_made_twice(
    three: tuple[Roamer, Roamer], small_fleet: Fleet
) -> None:
    chat, elsewhere = three
    (request,) = (await chat.say(pay(chat.id))).approvals
    small_fleet.sink.close_after_noting()
    answering = asyncio.create_task(chat.answer(decision(request, True)))
    assert await asyncio.to_thread(small_fleet.sink.arrived.acquire, timeout=SECONDS)
    assert (await elsewhere.answer(decision(request, True))).status == 409, "it is being run"
    await asyncio.to_thread(small_fleet.workers[0].kill)
    small_fleet.sink.open.set()
    with pytest.raises(httpx.TransportError):
        await answering
    reply = await elsewhere.answer(decision(request, True))
    assert "outcome_unknown" in reply.text
    assert small_fleet.paid_to().count(chat.id) == 1
    assert (await elsewhere.say("/say 1")).said == "1 "
