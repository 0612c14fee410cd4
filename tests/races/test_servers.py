"""Races over HTTP: two servers, one database, one payment, and up to 20 answers at once."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.support.clients.http import Json, RawChat, Reply, decision
from tests.support.databases.database import Database
from tests.support.servers.demo import DemoServer
from tests.support.sink import Sink
from tests.support.times import TIMES

ROUNDS = 24 * TIMES


@dataclass
class Pair:
    """Two server processes with the same state, and what they pay through."""

    servers: tuple[DemoServer, DemoServer]
    sink: Sink
    kind: str


@pytest.fixture(params=["sqlite", "postgres"])
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pair]:
    kind: str = request.param
    async with Database(kind, tmp_path, request) as url:
        sink = Sink()
        environment = {"PAYMENT_SINK_URL": sink.url}
        if kind == "postgres":
            environment["ADK_STREAM_DATABASE_URL"] = url
        servers = tuple(DemoServer(tmp_path / "state", **environment) for _ in range(2))
        try:
            for server in servers:
                await asyncio.to_thread(server.start)
            yield Pair((servers[0], servers[1]), sink, kind)
        finally:
            for server in servers:
                await asyncio.to_thread(server.stop)
            sink.stop()


async def post(client: httpx.AsyncClient, chat: RawChat, url: str, parts: list[Json]) -> Reply:
    message = {"id": "m", "role": "assistant", "parts": parts}
    body = {"id": chat.id, "messages": [message], "messageId": "m"}
    answer = await client.post(f"{url}/api/chat", json=body)
    return Reply(answer.status_code, answer.text)


async def say(client: httpx.AsyncClient, chat: RawChat, url: str, text: str) -> Reply:
    body = {"id": chat.id, "message": {"role": "user", "content": text}}
    answer = await client.post(f"{url}/api/chat", json=body)
    return Reply(answer.status_code, answer.text)


async def test_one_payment_and_a_clear_answer_for_everybody(pair: Pair) -> None:
    chance = random.Random(f"servers {pair.kind}")
    limits = httpx.Limits(max_connections=64)
    async with httpx.AsyncClient(timeout=60, limits=limits, trust_env=False) as client:
        for number in range(ROUNDS):
            await _round(pair, client, chance, number)
    keys = [key for key, _ in pair.sink.received]
    assert len(keys) == len(set(keys)) > 0


async def _round(pair: Pair, client: httpx.AsyncClient, chance: random.Random, number: int) -> None:
    urls = [server.url for server in pair.servers]
    chat = RawChat(urls[0])
    asked = await say(client, chat, chance.choice(urls), f"Send $1 to Bob{number}")
    request = asked.approvals[0]
    share = chance.choice([0.2, 0.5, 0.9, 1.0])
    verdicts = [chance.random() < share for _ in range(chance.choice([2, 2, 3, 5, 10, 20]))]
    paid = len(pair.sink.received)
    replies = await asyncio.gather(
        *(
            post(client, chat, chance.choice(urls), [decision(request, verdict)])
            for verdict in verdicts
        )
    )
    paid = len(pair.sink.received) - paid
    where = f"round {number}: {[(v, r.status) for v, r in zip(verdicts, replies, strict=True)]}"
    won = {verdict for verdict, reply in zip(verdicts, replies, strict=True) if reply.status == 200}
    assert len(won) == 1, f"{where}: yes and no cannot both win, and one must"
    assert paid == (True in won), where
    for reply in replies:
        _check(reply, where)
    await _goes_on(client, chat, urls, where)
    told = str((await say(client, chat, chance.choice(urls), "/echo")).said)
    assert ("transaction_id" in told) == (True in won), where
    assert ("The user denied" in told) == (False in won), where


def _check(reply: Reply, where: str) -> None:
    assert reply.status in (200, 409, 410), f"{where}: {reply.text}"
    if reply.status == 200:
        assert reply.types[-1] == "finish" and "error" not in reply.types, f"{where}: {reply.text}"
    else:
        assert "reference" in reply.text and len(reply.text) < 300, where


async def _goes_on(client: httpx.AsyncClient, chat: RawChat, urls: list[str], where: str) -> None:
    """The next message is taken, by either server."""
    for url in urls:
        reply = await say(client, chat, url, "hello")
        assert "error" not in reply.types and "Hello" in reply.said, f"{where}: {reply.text}"


async def test_two_calls_answered_on_two_servers_at_once_each_run_once(pair: Pair) -> None:
    """A session takes one turn at a time; whose turn that cuts off is told so and asks again."""
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        for number in range(8):
            await _two_calls(pair, client, number)


async def _two_calls(pair: Pair, client: httpx.AsyncClient, number: int) -> None:
    urls = [server.url for server in pair.servers]
    chat, paid = RawChat(urls[0]), len(pair.sink.received)
    call = '/call process_payment {"amount": 1, "recipient": "%s"}'
    requests = (await say(client, chat, urls[0], f"{call % 'x'}\n{call % 'y'}")).approvals
    answers = [(url, [decision(one, True)]) for url, one in zip(urls, requests, strict=True)]
    where, waiting = f"round {number}", answers
    for _ in range(20):
        replies = await asyncio.gather(*(post(client, chat, *answer) for answer in waiting))
        where += f" {[reply.status for reply in replies]}"
        assert all(reply.status in (200, 409) for reply in replies), where
        both = zip(waiting, replies, strict=True)
        waiting = [one for one, reply in both if reply.status != 200 or "error" in reply.types]
        if not waiting:
            break
    assert not waiting, where
    assert len(pair.sink.received) - paid == 2, where
    await _goes_on(client, chat, urls, where)
