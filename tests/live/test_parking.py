"""Calls that outlive their live run: they wait in their records, and are answered anywhere."""

from collections.abc import Awaitable, Callable

import pytest

from adk_stream_protocol import ClientTool
from tests.support.clients.http import Json, output
from tests.support.servers.in_process import Served, clerk, responses, serving, until
from tests.support.tills import Till

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
    assert ("tool-output-available" if approved else "tool-output-denied") in reply.types
    assert "pay" in reply.said


async def over_a_socket(served: Served, request: Json, approved: bool) -> None:
    async with served.socket() as socket:
        reply = await socket.approve(request, approved)
        assert ("tool-output-available" if approved else "tool-output-denied") in reply.types
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
        assert first.types == ["start", "data-approval", "tool-output-denied", "finish"]
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
