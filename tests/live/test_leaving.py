"""Leaving a live chat and coming back: grace, parking, a second socket, and the other transport."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from adk_stream_protocol import ClientTool
from adk_stream_protocol.runtime import chat
from adk_stream_protocol.runtime.live import LiveRun
from tests.live.raw_socket import RawSocket
from tests.live.served import Served, Till, clerk, responses, serving, until
from tests.support.client import Json, output

PAY = '/call pay {"amount": 5}'
DENIED = "The user denied this call. It did not run."


async def parked(served: Served) -> Json:
    """An approval request whose live run has ended."""
    async with served.socket() as socket:
        asked = await socket.say(PAY)
    await until(lambda: not served.is_live())
    assert await served.states() == ["pending"]
    return asked.approvals[0]


async def over_http(served: Served, request: Json, approved: bool) -> None:
    reply = await served.approve(request, approved)
    assert reply.types[1] == ("tool-output-available" if approved else "tool-output-denied")
    assert "pay" in reply.said


async def over_a_socket(served: Served, request: Json, approved: bool) -> None:
    async with served.socket() as socket:
        reply = await socket.approve(request, approved)
        assert reply.types[1] == ("tool-output-available" if approved else "tool-output-denied")
        assert "pay" in reply.said


async def outside_of_the_chat(served: Served, request: Json, approved: bool) -> None:
    answer = await served.decide(request["approvalId"], approved)
    assert answer.json()["state"] == ("approved" if approved else "denied")
    await until(lambda: served.chat.running("alice", "c") is None)


Decide = Callable[[Served, Json, bool], Awaitable[None]]
ways = pytest.mark.parametrize("decide", [over_http, over_a_socket, outside_of_the_chat])


@ways
@pytest.mark.parametrize("approved", [True, False])
async def test_a_parked_call_is_decided_anywhere_and_runs_once(
    decide: Decide, approved: bool
) -> None:
    till = Till()
    async with serving(clerk(till.tool()), grace=0.01) as served:
        request = await parked(served)
        await decide(served, request, approved)
        assert await served.states() == ["done" if approved else "denied"]
        await served.approve(request, approved)
        (told,) = responses(await served.context())
        assert told == {"paid": 5} if approved else told["error"] == DENIED
        async with served.socket() as socket:
            assert responses(await socket.context()) == [told]
    assert till.paid == [5] * approved
    assert (await served.trail()).count("claim") == approved


@pytest.mark.parametrize("last", ["http", "socket"])
async def test_parked_calls_of_one_turn_wait_for_each_other(last: str) -> None:
    till = Till()
    async with serving(clerk(till.tool()), grace=0.01, calls="parallel") as served:
        async with served.socket() as socket:
            asked = await socket.say(f'{PAY}\n/call pay {{"amount": 6}}')
        await until(lambda: not served.is_live())
        one, two = asked.approvals
        first = await served.approve(two, False)
        assert first.types == ["start", "tool-output-denied", "finish"]
        async with served.socket() as socket:
            reply = await (socket if last == "socket" else served).approve(one)
        assert reply.said == 'The call of pay returned {"paid": 5}, and the call of pay was denied.'
        told = responses(await served.context())
        assert [one.get("paid") or one["error"] for one in told] == [5, DENIED]
    assert till.paid == [5]


async def test_a_parked_browser_call_takes_its_result() -> None:
    tools = ClientTool("locate", "Where?"), ClientTool("look", "See.", approval=True)
    async with serving(clerk(*tools), grace=0.01, calls="parallel") as served:
        async with served.socket() as socket:
            asked = await socket.say("/call locate {}\n/call look {}")
        await until(lambda: not served.is_live())
        locate, look = asked.calls
        first = await served.answer(output(locate, {"lat": 1}, "locate"))
        assert first.types == ["start", "tool-output-available", "finish"]
        approval = {"id": asked.approvals[0]["approvalId"], "approved": True}
        async with served.socket() as socket:
            reply = await socket.answer(output(look, {"seen": 2}, "look", approval=approval))
        assert "error" not in reply.types, reply.text
        context = await served.context()
        assert responses(context, "locate") == [{"lat": 1}]
        assert responses(context, "look") == [{"seen": 2}]


@pytest.mark.parametrize("next_one", ["http", "socket"])
async def test_a_parked_call_is_cancelled_by_the_next_message(next_one: str) -> None:
    till = Till()
    async with serving(clerk(till.tool()), grace=0.01) as served:
        request = await parked(served)
        async with served.socket() as socket:
            assert (await (socket if next_one == "socket" else served).say("hello")).said
            assert "conflict" in (await socket.approve(request)).text
        assert (await served.approve(request)).status == 409
        (told,) = responses(await served.context())
        assert told["error"].startswith("The call was cancelled")
        assert await served.states() == ["cancelled"]
    assert till.paid == []


async def test_who_comes_back_within_the_grace_answers_the_same_run() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served:
        async with served.socket() as socket:
            asked = await socket.say(PAY)
        run = served.chat.live_run("alice", "c")
        async with served.socket() as socket:
            assert (await socket.resume()).status == 204
            reply = await socket.approve(asked.approvals[0])
            assert reply.said == 'The call of pay returned {"paid": 5}.'
            assert responses(await socket.context()) == [{"paid": 5}]
            assert served.chat.live_run("alice", "c") is run
    assert till.paid == [5]


async def test_a_running_turn_is_read_again_from_its_first_chunk() -> None:
    till = Till()
    till.open.clear()
    async with serving(clerk(till.tool())) as served:
        async with served.socket() as socket:
            asked = await socket.say(PAY)
            await socket.start_approving(asked.approvals[0])
            await asyncio.wait_for(till.entered.wait(), 10)
            await socket.vanish()
        async with served.socket() as socket:
            request_id = await socket.start({}, "resume")
            assert (await socket.frame(request_id))["type"] == "start"
            till.open.set()
            reply = await socket.reply(request_id)
            assert reply.approvals == asked.approvals, "it is the whole message"
            assert reply.of_type("tool-output-available")[0]["output"] == {"paid": 5}
            assert reply.said == 'The call of pay returned {"paid": 5}.'


@pytest.mark.parametrize("gated", [True, False])
async def test_a_tool_that_runs_when_everybody_has_left_is_finished_and_recorded(
    gated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    till, given_up = Till(), asyncio.Event()
    close = LiveRun.close

    async def closing(run: LiveRun, **how: Any) -> None:
        given_up.set()
        await close(run, **how)

    monkeypatch.setattr(LiveRun, "close", closing)
    till.open.clear()
    async with serving(clerk(till.tool(require_confirmation=gated)), grace=0.01) as served:
        async with served.socket() as socket:
            if gated:
                await socket.start_approving((await socket.say(PAY)).approvals[0])
            else:
                await socket.start_saying(PAY)
            await asyncio.wait_for(till.entered.wait(), 10)
            await socket.vanish()
        await asyncio.wait_for(given_up.wait(), 10)
        till.open.set()
        await until(lambda: not served.is_live())
        assert till.paid == [5] and await served.states() == ["done"] * gated
        assert responses(await served.context()) == [{"paid": 5}]


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
        await asyncio.wait_for(till.entered.wait(), 10)
        await served.chat.close()
        assert await served.states() == ["unknown"] and till.paid == []
        assert not served.is_live()
