"""One chat on two transports: messages, requests and decisions cross from either to the other."""

import asyncio

import pytest

from adk_stream_protocol import ClientTool
from adk_stream_protocol.convert.tool_responses import denied
from tests.support.clients.http import Json, output
from tests.support.servers.in_process import clerk, responses, serving, until
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


async def test_a_chat_goes_from_one_transport_to_the_other_and_back() -> None:
    async with serving(clerk(ClientTool("locate", "Where?"))) as served:
        await served.say("hello over HTTP")
        async with served.socket() as socket:
            asked = await socket.say("/call locate {}")
            await socket.answer(output(asked.calls[0], {"lat": 1}, "locate"))
            live = await socket.context()
        request = await served.context()
        said = [part for content in live["contents"] for part in content["parts"]]
        kept = [part for content in request["contents"] for part in content["parts"]]
        assert kept[: len(said)] == said
        assert said[0] == {"text": "hello over HTTP"}
        assert {"lat": 1} in [part.get("function_response", {}).get("response") for part in said]


async def test_a_request_made_over_http_is_answered_on_a_socket() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served:
        asked = await served.say(PAY)
        async with served.socket() as socket:
            reply = await socket.approve(asked.approvals[0])
            assert reply.types[:2] == ["start", "tool-output-available"]
            assert responses(await socket.context()) == [{"paid": 5}]
    assert till.paid == [5]


async def test_a_request_made_on_a_socket_is_answered_over_http() -> None:
    """The chunks come with the answer; the socket stays and goes on."""
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        asked = await socket.say(PAY)
        reply = await served.approve(asked.approvals[0])
        assert reply.types[:2] == ["start", "tool-output-available"]
        assert reply.said == 'The call of pay returned {"paid": 5}.'
        assert responses(await socket.context()) == [{"paid": 5}]
    assert till.paid == [5]


async def test_a_decision_outside_of_the_chat_shows_on_the_socket() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        asked = await socket.say(PAY)
        assert (await served.decide(asked.approvals[0]["approvalId"], True)).status_code == 200
        reply = await socket.server_turn()
        assert reply.of_type("tool-output-available")[0]["output"] == {"paid": 5}
        assert reply.chunks[0]["messageId"] == asked.chunks[0]["messageId"]
        assert reply.said == 'The call of pay returned {"paid": 5}.'
        assert responses(await socket.context()) == [{"paid": 5}]


async def test_a_message_over_http_ends_an_idle_live_run_and_the_socket_begins_another() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        asked = await socket.say(PAY)
        assert (await served.say("hello")).said
        assert not served.is_live()
        refused = await socket.approve(asked.approvals[0])
        assert "conflict" in refused.text
        assert responses(await socket.context())[0]["error"].startswith("The call was cancelled")
        assert served.is_live()
    assert till.paid == []


async def test_a_message_over_http_while_the_model_speaks_live_is_refused() -> None:
    async with serving(clerk()) as served, served.socket() as socket:
        request_id = await socket.start_saying("/say 1\n/hang 60")
        await socket.chunk(request_id, "text-delta")
        refused = await served.say("hello")
        assert refused.status == 409 and "busy" in refused.text
        assert (await served.request("POST", "/api/chat/c/stop")).json() == {"stopped": True}
        assert "error" not in (await socket.reply(request_id)).types
        assert (await served.say("hello")).said


@pytest.mark.parametrize("mixed", [False, True])
async def test_answers_from_everywhere_at_once_run_it_once(mixed: bool) -> None:
    """Five tabs, two transports and the list of approvals; with `mixed`, some of them say no."""
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        for _ in range(5):
            request = (await socket.say(PAY)).approvals[0]
            verdicts = [True, not mixed, True, not mixed, True, not mixed]
            await asyncio.gather(
                *(served.approve(request, one) for one in verdicts[:2]),
                *(served.decide(request["approvalId"], one) for one in verdicts[2:4]),
                *(socket.approve(request, one) for one in verdicts[4:]),
            )
            await until(lambda: served.chat.running("alice", "c") is None)
            assert responses(await socket.context())[-1] == outcome_of((await served.states())[-1])
        states = await served.states()
    assert len(till.paid) == states.count("done") and set(states) <= {"done", "denied"}
    assert mixed or states.count("done") == 5


def outcome_of(state: str) -> Json:
    return {"paid": 5} if state == "done" else denied(None)
