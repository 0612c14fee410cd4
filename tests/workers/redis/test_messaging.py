"""Messages between two workers on a real Redis: heard, answered, or given up."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.workers.messages import Done, Message, Reply, Stop, Wake
from adk_stream_protocol.workers.redis import messaging
from adk_stream_protocol.workers.redis.messaging import Messenger
from tests.support.databases.redis import RedisServer

CHAT = ChatId("shop", "alice", "c")


class Worker:
    """Notes what it hears, and answers with `reply`."""

    def __init__(self, redis: RedisServer, name: str) -> None:
        self.heard: list[Message] = []
        self.reply: Reply | None | Exception = Done(True)
        self.came = asyncio.Event()
        self.opened = asyncio.Event()
        self.redis = Redis.from_url(redis.url)
        self.messenger = Messenger(self.redis, "test", name, self._handle, self._open)

    async def _handle(self, message: Message) -> Reply | None:
        self.heard.append(message)
        self.came.set()
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply

    async def _open(self) -> None:
        self.opened.set()


@asynccontextmanager
async def two_workers(redis: RedisServer) -> AsyncGenerator[tuple[Worker, Worker]]:
    workers = Worker(redis, "one"), Worker(redis, "two")
    listening = [asyncio.create_task(worker.messenger.listen()) for worker in workers]
    for worker in workers:
        await asyncio.wait_for(worker.opened.wait(), 60)
    yield workers
    for task, worker in zip(listening, workers, strict=True):
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await worker.redis.aclose()


def never() -> bool:
    return False


async def test_what_is_said_to_all_is_heard_by_the_others(redis: RedisServer) -> None:
    async with two_workers(redis) as (one, two):
        await one.messenger.broadcast(Wake(CHAT, "a"))
        await asyncio.wait_for(two.came.wait(), 60)
        assert two.heard == [Wake(CHAT, "a")] and one.heard == []


async def test_a_question_is_answered_by_the_one_who_is_asked(redis: RedisServer) -> None:
    async with two_workers(redis) as (one, two):
        assert await one.messenger.request("two", Stop(CHAT), never) == Done(True)
        assert two.heard == [Stop(CHAT)]


async def test_nobody_hears_a_question_to_a_worker_that_is_not_there(redis: RedisServer) -> None:
    async with two_workers(redis) as (one, _):
        assert await one.messenger.request("three", Stop(CHAT), never) is None


async def test_a_worker_that_dies_is_not_waited_for(redis: RedisServer) -> None:
    async with two_workers(redis) as (one, two):
        two.reply = None
        assert await one.messenger.request("two", Stop(CHAT), lambda: bool(two.heard)) is None


@pytest.mark.parametrize("reply", [None, ValueError("a secret")])
async def test_a_worker_that_does_not_answer_is_given_up(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch, reply: Exception | None
) -> None:
    monkeypatch.setattr(messaging, "ANSWER_SECONDS", 0.5)
    async with two_workers(redis) as (one, two):
        two.reply = reply
        assert await one.messenger.request("two", Stop(CHAT), never) is None
        assert two.heard == [Stop(CHAT)]
