"""The worker of a socket is killed at a chosen moment of an approval; its client comes back."""

import asyncio
import random
from collections.abc import AsyncGenerator

import httpx
import pytest

from tests.support.clients.asker import Asker
from tests.support.clients.attempts import outcome
from tests.support.clients.http import Json
from tests.support.clients.roamer import nothing_runs, pay
from tests.support.clients.socket import SocketChat
from tests.support.clients.socket_case import SocketCase
from tests.support.fleet.fleet import Fleet

SECONDS = 60.0
KILLS, CHATS = 10, 3
LONGEST = 0.15
"""Seconds from the click to the kill; longer than a turn takes."""
SILENT = "\n/then\n/hang 600"
"""The model does not come to speak of the payment."""

ways = pytest.mark.parametrize("way", ["socket", "http"])


@pytest.fixture
async def asker(small_fleet: Fleet, http: httpx.AsyncClient) -> AsyncGenerator[Asker]:
    """A chat on the first worker, which is started again for the next test."""
    yield Asker(small_fleet, http)
    worker = small_fleet.workers[0]
    await asyncio.to_thread(worker.kill)
    worker.start()
    await asyncio.to_thread(worker.wait)


async def kill_at(moment: str, asker: Asker, fleet: Fleet) -> None:
    """Ask on a socket, say yes unless it is too early for that, and lose the worker."""
    worker = fleet.workers[0]
    async with asker.home.socket() as socket:
        text = pay(asker.name) + (SILENT if moment == "paid" else "")
        (asker.request,) = (await socket.say(text)).approvals
        if moment == "unread":
            worker.freeze()
        elif moment == "paying":
            fleet.sink.close_after_noting()
        answering = ""
        if moment != "waiting":
            answering = await socket.start_answering(asker.part(True))
        await reached(moment, socket, answering, fleet)
        await asyncio.to_thread(worker.kill)
        fleet.sink.open.set()
        await socket.closed()
        asker.acknowledged = socket.has_begun(answering)


async def reached(moment: str, socket: SocketChat, answering: str, fleet: Fleet) -> None:
    if moment == "acknowledged":
        await socket.chunk(answering, "start")
    elif moment == "paying":
        assert await asyncio.to_thread(fleet.sink.arrived.acquire, timeout=SECONDS)
    elif moment == "paid":
        await socket.chunk(answering, "tool-output-available")


def is_unknown(chunk: Json) -> bool:
    return chunk.get("errorText", "").startswith("outcome_unknown")


async def takes_the_next_turn(asker: Asker, way: str, chunk: Json) -> None:
    """On both transports, and the model knows what the user was shown."""
    assert (await asker.say(way, "/say 2")).said == "1 2 "
    lost = {"error": chunk.get("errorText"), "outcome": "unknown"}
    assert await asker.told() == chunk.get("output", lost)


async def stays_so(asker: Asker, way: str, chunk: Json) -> None:
    """Another yes changes nothing, and the chat goes on."""
    paid = asker.paid()
    assert outcome(await asker.answer(way), asker.request) == chunk
    await takes_the_next_turn(asker, way, chunk)
    assert asker.paid() == paid


@ways
@pytest.mark.parametrize("moment", ["waiting", "unread"])
async def test_a_request_that_waited_is_answered_elsewhere(
    asker: Asker, small_fleet: Fleet, moment: str, way: str
) -> None:
    await kill_at(moment, asker, small_fleet)
    assert (asker.paid(), asker.acknowledged) == (0, False)
    async with asker.elsewhere.socket() as socket:
        await nothing_runs(socket)
    assert await asker.open_request() == {
        name: asker.request[name] for name in ("approvalId", "toolCallId")
    }
    first = await asker.answer(way)
    assert first.said, "the model speaks of it"
    chunk = outcome(first, asker.request)
    assert chunk["output"]["success"] is True and asker.paid() == 1
    await stays_so(asker, way, chunk)


@ways
async def test_a_yes_that_no_worker_has_read_is_none(
    asker: Asker, small_fleet: Fleet, way: str
) -> None:
    await kill_at("unread", asker, small_fleet)
    denied = outcome(await asker.answer(way, False), asker.request)
    assert denied["type"] == "tool-output-denied"
    assert (await asker.answer(way)).status in (0, 409), "it is too late for a yes"
    assert "denied" in (await asker.told())["error"] and asker.paid() == 0


@ways
async def test_a_new_message_instead_of_an_answer(
    asker: Asker, small_fleet: Fleet, way: str
) -> None:
    await kill_at("waiting", asker, small_fleet)
    assert (await asker.say(way, "/say 2")).said == "1 2 "
    assert (await asker.answer(way)).status in (0, 409), "it is too late for a yes"
    assert "cancelled" in (await asker.told())["error"] and asker.paid() == 0


@ways
@pytest.mark.parametrize("moment", ["sent", "acknowledged"])
async def test_a_yes_that_was_sent_is_carried_out_once_or_reported_as_unknown(
    asker: Asker, small_fleet: Fleet, moment: str, way: str
) -> None:
    await kill_at(moment, asker, small_fleet)
    assert asker.acknowledged or moment == "sent"
    chunk = outcome(await asker.answer(way), asker.request)
    paid = asker.paid()
    assert paid <= 1 if is_unknown(chunk) else (paid, chunk["output"]["success"]) == (1, True)
    await stays_so(asker, way, chunk)


@ways
async def test_a_payment_under_way_is_reported_as_unknown_and_not_made_again(
    asker: Asker, small_fleet: Fleet, way: str
) -> None:
    await kill_at("paying", asker, small_fleet)
    first = await asker.answer(way)
    chunk = outcome(first, asker.request)
    assert is_unknown(chunk) and first.said and asker.paid() == 1
    await stays_so(asker, way, chunk)


@ways
async def test_a_payment_that_nobody_has_spoken_of_yet_is_shown_again(
    asker: Asker, small_fleet: Fleet, way: str
) -> None:
    await kill_at("paid", asker, small_fleet)
    assert asker.acknowledged and asker.paid() == 1
    chunk = outcome(await asker.answer(way), asker.request)
    assert chunk["output"]["success"] is True
    await takes_the_next_turn(asker, way, chunk)
    assert asker.paid() == 1


@pytest.mark.parametrize("moment", ["waiting", "paying", "paid"])
async def test_the_client_may_come_back_to_the_worker_that_was_killed(
    asker: Asker, small_fleet: Fleet, moment: str
) -> None:
    await kill_at(moment, asker, small_fleet)
    worker = small_fleet.workers[0]
    worker.start()
    await asyncio.to_thread(worker.wait)
    async with asker.home.socket() as socket:
        chunk = outcome(await socket.answer(asker.part(True)), asker.request)
        assert is_unknown(chunk) == (moment == "paying")
        assert (await socket.say("/say 2")).said == "1 2 "
    await takes_the_next_turn(asker, "socket", chunk)
    assert asker.paid() == 1


@pytest.mark.parametrize("seed", [137])
async def test_killed_at_any_time(small_fleet: Fleet, http: httpx.AsyncClient, seed: int) -> None:
    chance = random.Random(seed)
    ends: list[str] = []
    for number in range(KILLS):
        victim = number % len(small_fleet.workers)
        cases = [SocketCase(small_fleet, http, victim, chance) for _ in range(CHATS)]
        await kill_during(small_fleet, victim, cases, chance)
        ends += await asyncio.gather(*(case.check() for case in cases))
    assert {"done", "denied", "cancelled", "unknown"} <= set(ends), "the dice are bad"


async def kill_during(
    fleet: Fleet, victim: int, cases: list[SocketCase], chance: random.Random
) -> None:
    """All act at once, and the lights go out: at any time, or while a payment is under way."""
    worker, seconds = fleet.workers[victim], chance.random() * LONGEST
    is_held = chance.random() < 0.5 and any(case.pays for case in cases)
    await asyncio.gather(*(case.ask() for case in cases))
    if is_held:
        fleet.sink.close_after_noting()
    acting = asyncio.gather(*(case.act() for case in cases))
    if is_held:
        assert await asyncio.to_thread(fleet.sink.arrived.acquire, timeout=SECONDS)
    else:
        await asyncio.sleep(seconds)
    await asyncio.to_thread(worker.kill)
    fleet.sink.open.set()
    await acting
    await asyncio.gather(*(case.lose() for case in cases))
    worker.start()
    await asyncio.gather(asyncio.to_thread(worker.wait), *(case.come_back() for case in cases))
