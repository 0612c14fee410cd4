"""Leaving a live chat and coming back: the grace, its end, a second socket, a dead one."""

import asyncio
import logging
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.chats import chats as chat
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.cli import main as cli
from adk_stream_protocol.cli.serve import DrainingServer
from adk_stream_protocol.transports.outbox import Outbox
from tests.support.clients.http import Json
from tests.support.clients.raw_socket import RawSocket
from tests.support.databases.stores import HeldStore
from tests.support.servers.in_process import Served, clerk, responses, serving, until
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


async def test_who_comes_back_within_the_grace_answers_the_same_run() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served:
        async with served.socket() as socket:
            asked = await socket.say(PAY)
        run = served.live_engine("alice", "c")
        async with served.socket() as socket:
            assert (await socket.resume()).status == 204
            reply = await socket.approve(asked.approvals[0])
            assert reply.said == 'The call of pay returned {"paid": 5}.'
            assert responses(await socket.context()) == [{"paid": 5}]
            assert served.live_engine("alice", "c") is run
    assert till.paid == [5]


async def test_a_running_turn_is_read_again_from_its_first_chunk() -> None:
    till = Till()
    till.open.clear()
    async with serving(clerk(till.tool())) as served:
        async with served.socket() as socket:
            asked = await socket.say(PAY)
            await socket.start_approving(asked.approvals[0])
            await asyncio.wait_for(till.entered.wait(), 60)
            await socket.vanish()
        async with served.socket() as socket:
            request_id = await socket.start({}, "resume")
            assert (await socket.frame(request_id))["type"] == "start"
            till.open.set()
            reply = await socket.reply(request_id)
            assert reply.approvals == asked.approvals, "it is the whole message"
            assert reply.of_type("tool-output-available")[0]["output"] == {"paid": 5}
            assert reply.said == 'The call of pay returned {"paid": 5}.'


@pytest.fixture
def given_up(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Says that the grace of a live run is over."""
    over, none_running = asyncio.Event(), ChatCalls.none_running

    async def waits_for_tools(calls: ChatCalls) -> None:
        over.set()
        await none_running(calls)

    monkeypatch.setattr(ChatCalls, "none_running", waits_for_tools)
    return over


async def leave_while_it_runs(served: Served, till: Till, *, gated: bool = True) -> None:
    till.open.clear()
    async with served.socket() as socket:
        if gated:
            await socket.start_approving((await socket.say(PAY)).approvals[0])
        else:
            await socket.start_saying(PAY)
        await asyncio.wait_for(till.entered.wait(), 60)
        await socket.vanish()


@pytest.mark.parametrize("gated", [True, False])
async def test_a_tool_that_runs_when_everybody_has_left_is_finished_and_recorded(
    gated: bool, given_up: asyncio.Event
) -> None:
    till = Till()
    agent = clerk(till.tool(require_confirmation=gated))
    async with serving(agent, grace=0.01) as served:
        await leave_while_it_runs(served, till, gated=gated)
        await asyncio.wait_for(given_up.wait(), 60)
        till.open.set()
        await until(lambda: not served.is_live())
        assert till.paid == [5] and await served.states() == ["done"] * gated
        assert responses(await served.context()) == [{"paid": 5}]


async def test_who_comes_back_before_the_tool_is_done_has_the_run_again(
    given_up: asyncio.Event,
) -> None:
    till = Till()
    async with serving(clerk(till.tool()), grace=0.01) as served:
        await leave_while_it_runs(served, till)
        await asyncio.wait_for(given_up.wait(), 60)
        run = served.live_engine("alice", "c")
        async with served.socket() as socket:
            resuming = await socket.start({}, "resume")
            assert (await socket.frame(resuming))["type"] == "start"
            till.open.set()
            assert (await socket.reply(resuming)).said == 'The call of pay returned {"paid": 5}.'
            assert responses(await socket.context()) == [{"paid": 5}]
            assert served.live_engine("alice", "c") is run
        await until(lambda: not served.is_live())


@pytest.mark.parametrize("way", ["http", "socket", "outside"])
async def test_an_answer_that_comes_as_the_grace_ends_counts(
    way: str, given_up: asyncio.Event
) -> None:
    till, store = Till(), HeldStore()
    agent = clerk(till.tool())
    async with serving(agent, grace=0.01, approval_store=store) as served:
        async with served.socket() as socket:
            request = (await socket.say(PAY)).approvals[0]
            store.hold("approve")
            answering = asyncio.create_task(answer(served, request, way))
            await asyncio.wait_for(store.there.wait(), 60)
        await asyncio.wait_for(given_up.wait(), 60)
        store.go_on.set()
        await asyncio.wait_for(answering, 60)
        await until(lambda: till.paid == [5])
        await until(lambda: served.chat.running("alice", "c") is None)
        assert responses(await served.context()) == [{"paid": 5}]
    assert till.paid == [5] and (await store.trail(None))[-1].event == "result"


async def answer(served: Served, request: Json, way: str) -> None:
    if way == "outside":
        assert (await served.decide(request["approvalId"], True)).status_code == 200
    elif way == "http":
        assert (await served.approve(request)).said == 'The call of pay returned {"paid": 5}.'
    else:
        async with served.socket() as socket:
            reply = await socket.approve(request)
            assert reply.said == 'The call of pay returned {"paid": 5}.'


async def test_a_run_that_ends_while_it_asks_leaves_no_request_behind() -> None:
    till, store = Till(), HeldStore()
    agent = clerk(till.tool())
    async with serving(agent, grace=0.01, approval_store=store) as served:
        async with served.socket() as socket:
            store.hold("request")
            await socket.start_saying(PAY)
            await asyncio.wait_for(store.there.wait(), 60)
        closing = asyncio.create_task(served.chat.close())
        await until(lambda: served.is_closing())
        store.go_on.set()
        await asyncio.wait_for(closing, 60)
        assert [record.state.value for record in await store.listed(None, 9)] == ["cancelled"]
        assert (await served.request("GET", "/api/approvals")).json() == {"approvals": []}


async def test_the_newest_socket_has_the_chat() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as old:
        asked = await old.say(PAY)
        async with served.socket() as new:
            assert (await new.resume()).status == 204
            assert await old.closed() == 4001
            assert old.connection.close_reason == "this chat was opened elsewhere"
            assert (await new.approve(asked.approvals[0])).said
        await until(lambda: served.is_live())
    assert till.paid == [5]


async def test_a_second_socket_for_another_chat_disturbs_nobody() -> None:
    async with serving(clerk()) as served, served.socket() as one, served.socket("d") as two:
        for socket in (one, two, one, two):
            assert (await socket.say("hello")).said
        async with served.socket(who="bob") as other:
            assert (await other.say("hello")).said
            assert (await one.say("hello")).said


async def test_a_half_open_socket_is_found_and_its_call_parked() -> None:
    till = Till()
    pings = {"ws_ping_interval": 0.05, "ws_ping_timeout": 0.05}
    async with serving(clerk(till.tool()), grace=0.01, config=pings) as served:
        async with RawSocket.connect(served.port) as socket:
            await socket.say(PAY)
            await until(lambda: served.is_live())
            await until(lambda: not served.is_live())
            assert await served.states() == ["pending"]


async def test_no_task_is_left_after_the_grace() -> None:
    till = Till()
    async with serving(clerk(till.tool()), grace=0.01) as served:
        before = asyncio.all_tasks()
        for number in range(5):
            async with served.socket(f"c{number}") as socket:
                await socket.say(PAY)
                if number % 2:
                    await socket.vanish()
        await until(lambda: asyncio.all_tasks() <= before)
        assert await served.states() == ["pending"] * 5


async def test_a_server_that_ends_waits_for_a_tool_and_says_so_if_it_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chat, "CLOSE_SECONDS", 0.05)
    till = Till()
    till.open.clear()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        await socket.start_approving((await socket.say(PAY)).approvals[0])
        await asyncio.wait_for(till.entered.wait(), 60)
        await served.chat.close()
        assert await served.states() == ["unknown"] and till.paid == []
        assert not served.is_live()


def test_the_command_finds_a_dead_socket_within_45_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[uvicorn.Config] = []
    arguments = ["--state", str(tmp_path), "--port", "0"]
    monkeypatch.setattr(sys, "argv", ["adk-stream", "demo", *arguments])

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        started.append(server.config)
        for listening in sockets:
            listening.close()

    monkeypatch.setattr(DrainingServer, "run", run)
    cli.main()
    (config,) = started
    assert (config.ws_ping_interval or 99) + (config.ws_ping_timeout or 99) <= 45


async def test_a_frame_that_is_under_way_does_not_take_the_chat_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(clerk()) as served, served.socket() as old:
        open_turn = served.chat.open_turn
        opened, go_on, passed = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def held(*given: Any, **options: Any) -> Turn:
            turn = await open_turn(*given, **options)
            if not opened.is_set():
                opened.set()
                await go_on.wait()
                asyncio.get_running_loop().call_soon(passed.set)
            return turn

        assert (await old.say("hello")).said
        monkeypatch.setattr(served.chat, "open_turn", held)
        await old.start_saying("hello")
        await asyncio.wait_for(opened.wait(), 60)
        await until(lambda: served.chat.running("alice", "c") is None)
        async with served.socket() as new:
            assert (await new.say("hello")).said
            assert await old.closed() == 4001
            go_on.set()
            await asyncio.wait_for(passed.wait(), 60)
            assert (await new.say("hello")).said


async def test_who_leaves_before_the_answer_is_no_failure_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked, left, is_over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def nothing_to_read(*_: str) -> None:
        asked.set()
        await left.wait()

    def cancel(_: Outbox) -> None:
        is_over.set()

    monkeypatch.setattr(Outbox, "cancel", cancel)  # the last thing that is done about a socket
    async with serving(clerk()) as served:
        monkeypatch.setattr(served.chat, "readable", nothing_to_read)
        async with served.socket() as socket:
            await socket.start({}, "resume")
            await asyncio.wait_for(asked.wait(), 60)
        left.set()
        await asyncio.wait_for(is_over.wait(), 60)
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []
