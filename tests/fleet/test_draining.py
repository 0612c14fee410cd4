"""SIGTERM: nothing new is taken, what runs ends properly, what waits is still there after."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from adk_stream_protocol.demo.identity import COOKIE, load_secret, sign
from tests.support.clients.http import Json, Reply, decision
from tests.support.clients.roamer import Roamer, pay, texts
from tests.support.clients.socket import said
from tests.support.databases.redis import RedisServer
from tests.support.servers.command import Served, is_worker
from tests.support.servers.demo import COMMAND
from tests.support.servers.in_process import until
from tests.support.sink import Sink

SECONDS = 60.0
HANGING = "/say 3\n/hang 600"

kinds = pytest.mark.parametrize("how", ["one", "workers", "uvicorn"])


@pytest.fixture
def sink() -> Generator[Sink]:
    sink = Sink()
    yield sink
    sink.stop()


@pytest.fixture
async def served(how: str, sink: Sink, tmp_path: Path) -> AsyncGenerator[Served]:
    redis = RedisServer(tmp_path).start()
    environment = {"PAYMENT_SINK_URL": sink.url, "ADK_STREAM_REDIS_URL": redis.url}
    server = Served(how, tmp_path / "state", **environment)
    await asyncio.to_thread(server.start)
    yield server
    await asyncio.to_thread(server.kill)
    redis.kill()


def chat_of(served: Served, http: httpx.AsyncClient, user: str) -> Roamer:
    cookie = f"{COOKIE}={sign(user, load_secret(served.state))}"
    return Roamer(http, [served.url], {"cookie": cookie}, f"chat-{user}")


async def refused(chat: Roamer) -> None:
    """Say something until the server says that it goes down."""
    async with asyncio.timeout(SECONDS):
        while True:
            reply = await chat.say("/say 1")
            if reply.status == 503:
                assert "shutting down" in reply.text
                return
            assert reply.status == 200, reply.text


async def paying_now(chat: Roamer, sink: Sink) -> tuple[Json, asyncio.Task[Reply]]:
    """A request that was approved and whose tool has reached the sink, and the turn about it."""
    (request,) = (await chat.say(pay("paying"))).approvals
    sink.close_after_noting()
    answering = asyncio.create_task(chat.answer(decision(request, True)))
    assert await asyncio.to_thread(sink.arrived.acquire, timeout=SECONDS)
    return request, answering


@kinds
async def test_a_server_drains(how: str, served: Served, sink: Sink) -> None:
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http, AsyncExitStack() as stack:
        running, live, idle, asked, waiting, paying, late = (
            chat_of(served, http, user)
            for user in ("running", "live", "idle", "asked", "waiting", "paying", "late")
        )
        stream = await stack.enter_async_context(running.streaming(said(HANGING)))
        await stream.until("1 2 3 ")
        sockets = [await stack.enter_async_context(one.socket()) for one in (live, idle, waiting)]
        turn = await sockets[0].start_saying(HANGING)
        await sockets[0].chunk(turn, "text-delta")
        (request,) = (await asked.say(pay("asked"))).approvals
        (live_request,) = (await sockets[2].say(pay("waiting"))).approvals
        now, answering = await paying_now(paying, sink)

        served.terminate()
        await refused(late)
        sink.open.set()
        paid = await answering
        assert paid.types[-1] == "finish" and sink.paid_to() == ["paying"]
        assert (await stream.rest()).types[-1] == "finish"
        assert (await sockets[0].reply(turn)).types[-1] == "finish"
        assert [await socket.closed() for socket in sockets] == [1012] * 3
        await asyncio.to_thread(served.wait)

    await asyncio.to_thread(served.start)
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        for user, one in (("asked", request), ("waiting", live_request)):
            reply = await chat_of(served, http, user).answer(decision(one, True))
            assert "tool-output-available" in reply.types, reply.text
        assert sink.paid_to() == ["paying", "asked", "waiting"]
        repeated = await chat_of(served, http, "paying").answer(decision(now, True))
        assert "transaction_id" in repeated.text, "the result was recorded"
        assert texts(await chat_of(served, http, "running").messages(), "assistant") == ["1 2 3 "]


@pytest.mark.parametrize("how", ["workers"])
async def test_a_tool_that_does_not_end_is_not_waited_for(
    how: str, served: Served, sink: Sink
) -> None:
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        request, answering = await paying_now(chat_of(served, http, "paying"), sink)
        served.terminate()
        assert (await answering).types[-1] == "finish"
        await asyncio.to_thread(served.wait)
        sink.open.set()
    await asyncio.to_thread(served.start)
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        reply = await chat_of(served, http, "paying").answer(decision(request, True))
        assert "outcome_unknown" in reply.text
        assert sink.paid_to() == ["paying"]


@pytest.mark.parametrize("how", ["workers"])
async def test_workers_that_die_are_replaced(how: str, served: Served) -> None:
    before = served.workers()
    assert len(before) == 2
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        chat = chat_of(served, http, "user")
        assert (await chat.say("/say 2")).said == "1 2 "
    for victim in before:
        os.kill(victim, signal.SIGKILL)
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        chat = chat_of(served, http, "user")
        assert (await chat.say("/say 3")).said == "1 2 3 "
        assert texts(await chat.messages(), "assistant") == ["1 2 ", "1 2 3 "]
    assert not served.workers() & before


@pytest.mark.parametrize("how", ["workers"])
async def test_workers_whose_parent_is_killed_drain_and_end(
    how: str, served: Served, sink: Sink
) -> None:
    workers = served.workers()
    assert len(workers) == 2
    try:
        async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
            _, answering = await paying_now(chat_of(served, http, "paying"), sink)
            served.kill_parent()
            await refused(chat_of(served, http, "late"))
            sink.open.set()
            assert (await answering).types[-1] == "finish" and sink.paid_to() == ["paying"]
        await until(lambda: not any(map(is_worker, workers)))
    finally:
        for worker in filter(is_worker, workers):
            os.kill(worker, signal.SIGKILL)
    await asyncio.to_thread(served.start)
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        assert (await chat_of(served, http, "user").say("/say 2")).said == "1 2 "


def test_workers_without_redis_are_refused_with_the_reason(tmp_path: Path) -> None:
    command = [COMMAND, "demo", "--workers", "2", "--state", str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert found.returncode == 2
    assert "ADK_STREAM_REDIS_URL" in found.stderr and "resume" in found.stderr
