"""The other end of a live chat: a model that fails, goes away, takes back, is stopped or deaf."""

import asyncio

import pytest
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk import live_queue
from tests.support.clients.http import Json, decision, output
from tests.support.clients.socket import SocketChat
from tests.support.databases.stores import HeldStore
from tests.support.polite_model import polite_model
from tests.support.servers.in_process import clerk, responses, serving, until
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
PAID = 'The call of pay returned {"paid": 5}.'
LOCATE = ClientTool("locate", "Where?")

older_models = pytest.mark.parametrize("at_once", [True, False])


@older_models
@pytest.mark.parametrize("fault", ["/error 500", "/error 429", "/error SAFETY", "/drop 2"])
async def test_a_failure_is_reported_once_and_the_chat_goes_on(fault: str, at_once: bool) -> None:
    model = polite_model(live_calls_at_once=at_once)
    async with serving(clerk(model=model)) as served, served.socket() as socket:
        reply = await socket.say(fault)
        assert reply.types.count("error") == (fault != "/drop 2"), reply.text
        assert "Traceback" not in reply.text
        assert (await socket.say("hello")).said == "Hello! What can I do for you?"


async def test_the_model_is_heard_and_hears_while_a_call_waits() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        asked = await socket.say(PAY)
        await socket.speak("/say 3")
        during = await socket.server_turn()
        (heard,) = during.of_type("data-user-message")
        assert heard["data"]["text"] == "/say 3" and during.said == "1 2 3 "
        assert await served.states() == ["pending"]
        assert (await socket.approve(asked.approvals[0])).said == PAID
    assert till.paid == [5]


async def test_ending_the_run_releases_every_wait() -> None:
    till = Till()
    async with serving(clerk(till.tool(), LOCATE), calls="parallel") as served:
        before = asyncio.all_tasks()
        async with served.socket() as socket:
            await socket.say(f"{PAY}\n{PAY}\n/call locate {{}}")
        await served.chat.close()
        await until(lambda: asyncio.all_tasks() <= before)
        assert await served.states() == ["pending", "pending"]


@pytest.mark.parametrize("pause", ["", "/hang 0.2\n"])
async def test_a_call_that_the_model_takes_back_is_closed_everywhere(pause: str) -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        asked = await socket.say(f"{PAY}\n{pause}/withdraw")
        closing = asked if asked.of_type("tool-output-error") else await socket.server_turn()
        (closed,) = closing.of_type("tool-output-error")
        assert closed["toolCallId"] == asked.calls[0]
        assert closing.of_type("data-approval")[-1]["data"]["outcome"] == "withdrawn"
        assert await served.states() == ["withdrawn"]
        assert "conflict" in (await socket.approve(asked.approvals[0])).text
        assert (await served.decide(asked.approvals[0]["approvalId"], True)).status_code == 409
        assert (await socket.say("hello")).said
        assert responses(await served.context())[0]["outcome"] == "withdrawn"
    stores: Json = {"session_service": served.sessions, "approval_store": served.store}
    async with serving(clerk(till.tool()), **stores) as restarted:
        shown = (await restarted.request("GET", "/api/chat/c/messages")).json()[1]
        (card,) = [part for part in shown["parts"] if part["type"] == "data-approval"]
        assert card["data"]["outcome"] == "withdrawn"
    assert till.paid == []


@pytest.mark.parametrize("calls", ["sequential", "parallel"])
async def test_handing_over_while_a_call_waits_closes_it(calls: str) -> None:
    till = Till()
    helper = clerk(name="helper", description="Helps.")
    agent = clerk(till.tool(), sub_agents=[helper])
    async with serving(agent, calls=calls) as served, served.socket() as socket:
        asked = await socket.say(f'{PAY}\n/call transfer_to_agent {{"agent_name": "helper"}}')
        if calls == "sequential":
            assert (await socket.approve(asked.approvals[0])).said
            assert till.paid == [5]
            return
        closing = asked if asked.of_type("tool-output-error") else await socket.server_turn()
        (closed,) = closing.of_type("tool-output-error")
        assert closed["toolCallId"] == asked.calls[0]
        assert closing.of_type("data-approval")[-1]["data"]["outcome"] == "withdrawn"
        assert await served.states() == ["withdrawn"]
        assert "conflict" in (await socket.approve(asked.approvals[0])).text
        assert (await socket.say("hello")).said
    assert till.paid == []


async def test_a_dead_sender_ends_the_turn_and_the_chat_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_queue, "SEND_SECONDS", 0.1)

    def screen(callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        parts = llm_request.contents[-1].parts or []
        if any(part.text == "poison" for part in parts):
            raise RuntimeError("password 1234")

    agent = clerk(before_model_callback=screen)
    async with serving(agent) as served, served.socket() as socket:
        assert (await socket.say("hello")).said
        reply = await socket.say("poison")
        (error,) = reply.of_type("error")
        assert "Please try again" in error["errorText"] and "1234" not in reply.text
        assert (await socket.say("hello")).said == "Hello! What can I do for you?"


async def test_a_link_that_is_lost_while_an_answer_is_stored_loses_no_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    till, store = Till(), HeldStore()
    agent = clerk(till.tool())
    async with serving(agent, approval_store=store) as served, served.socket() as socket:
        request = (await socket.say(f"{PAY}\n/hang 0.3\n/error 500")).approvals[0]
        store.hold("approve")
        answering = await socket.start_approving(request)
        await asyncio.wait_for(store.there.wait(), 60)
        await until(lambda: "the live run of a chat failed" in caplog.text)
        store.go_on.set()
        assert (await socket.reply(answering)).types == ["start", "error"]
        assert (await socket.approve(request)).said == PAID
    assert till.paid == [5]


@older_models
async def test_a_model_that_goes_away_keeps_its_memory_and_its_open_call(at_once: bool) -> None:
    till = Till()
    agent = clerk(till.tool(), model=polite_model(live_calls_at_once=at_once))
    async with serving(agent) as served, served.socket() as socket:
        await socket.say("hello")
        asked = await socket.say(f"{PAY}\n/goaway")
        reply = await socket.approve(asked.approvals[0])
        assert reply.said == PAID, reply.text
        context = await socket.context()
        assert context["contents"][0]["parts"] == [{"text": "hello"}]
        assert responses(context) == [{"paid": 5}]
    assert till.paid == [5]


@pytest.mark.parametrize("pause", [0, 0.1])
@pytest.mark.parametrize("end", ["/goaway", "/drop 1", "/interrupt", "/error 500", "/say 1"])
async def test_after_a_stop_the_model_is_heard_again_however_it_ended(
    end: str, pause: float
) -> None:
    async with serving(clerk()) as served, served.socket() as socket:
        request_id = await socket.start_saying(f"/say 1\n/hang {pause}\n{end}")
        await socket.chunk(request_id, "text-delta")
        await served.request("POST", "/api/chat/c/stop")
        await socket.reply(request_id)
        assert (await socket.say("hello")).said == "Hello! What can I do for you?"
        request_id = await socket.start_saying("/say 1\n/hang 60")
        await socket.chunk(request_id, "text-delta")
        await socket.start({"requestId": request_id}, "abort")
        assert (await socket.reply(request_id)).types[-1] == "finish"
        assert (await socket.say("hello")).said == "Hello! What can I do for you?"


@pytest.mark.parametrize("calls", ["sequential", "parallel"])
async def test_models_that_call_at_the_end_of_their_turn(calls: str) -> None:
    till = Till()
    agent = clerk(till.tool(), LOCATE, model=polite_model(live_calls_at_once=False))
    async with serving(agent, calls=calls) as served, served.socket() as socket:
        assert (await socket.say("hello")).said
        asked = await socket.say(f"/say 2\n{PAY}")
        assert asked.said == "1 2 "
        assert (await socket.approve(asked.approvals[0])).said == PAID
        denied = await socket.approve((await socket.say(PAY)).approvals[0], False)
        assert denied.said == "The call of pay was denied."
        call = (await socket.say("/call locate {}")).calls[0]
        assert (await socket.answer(output(call, {"lat": 1}, "locate"))).said
        await check_two(socket, calls)
    assert till.paid == [5, 5, 5]


async def check_two(socket: SocketChat, calls: str) -> None:
    """Two calls of one turn: together, or one after the other."""
    reply = await socket.say(f"{PAY}\n{PAY}")
    if calls == "parallel":
        reply = await socket.answer(*(decision(one, True, "pay") for one in reply.approvals))
    else:
        reply = await socket.approve(reply.approvals[0])
        reply = await socket.approve(reply.approvals[0])
    assert reply.said.startswith(PAID[:-1])
