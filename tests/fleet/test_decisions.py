"""Decisions and browser results reach a call wherever it waits. The workers do not poll."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.fleet.conftest import OpenChat
from tests.support.clients.http import Json, Reply, decision, output
from tests.support.clients.roamer import Roamer, nothing_runs, pay
from tests.support.clients.socket import SocketChat
from tests.support.fleet.fleet import Fleet

PLACE = {"latitude": 1.5, "longitude": 2.5, "accuracy": 3, "timestamp": 4}
SECONDS = 60.0

styles = pytest.mark.parametrize("style", ["native", "adk-tool"])


def asked(reply: Reply) -> Json:
    """The request of a reply, and a part that says yes to it in the style of the stream."""
    if native := reply.approvals:
        return {"id": native[0]["approvalId"], "yes": decision(native[0], True)}
    (call,) = [
        one
        for one in reply.of_type("tool-input-available")
        if one["toolName"] == "adk_request_confirmation"
    ]
    yes = output(call["toolCallId"], {"confirmed": True}, "adk_request_confirmation")
    return {"id": call["toolCallId"], "yes": yes}


def is_paid(reply: Reply) -> bool:
    outputs = [one["output"] for one in reply.of_type("tool-output-available")]
    return any(isinstance(one, dict) and "transaction_id" in one for one in outputs)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            if await condition():
                return
            await asyncio.sleep(0.02)


async def states(chat: Roamer) -> list[str | None]:
    """The states of the parts of the last message, as another worker shows them."""
    return [part.get("state") for part in (await chat.messages())[-1]["parts"]]


@styles
async def test_a_request_is_answered_on_another_worker(
    open_chat: OpenChat, fleet: Fleet, style: str
) -> None:
    chat = open_chat(style)
    recipient = f"{chat.id}-{style}"
    request = asked(await chat.say(pay(recipient)))
    replies = [await chat.answer(request["yes"]) for _ in range(4)]
    assert all(is_paid(reply) for reply in replies), "said again, it is told again"
    assert fleet.paid_to().count(recipient) == 1
    request = asked(await chat.say(pay(recipient)))
    assert (await chat.decide(request["id"], True)).status_code == 200

    async def done() -> bool:
        return (await states(chat))[-1] == "done"

    await until(done)
    assert fleet.paid_to().count(recipient) == 2


@styles
async def test_a_live_wait_is_answered_over_http_on_another_worker(
    open_chat: OpenChat, fleet: Fleet, style: str
) -> None:
    chat = open_chat(style)
    recipient = f"{chat.id}-{style}-live"
    async with chat.socket() as socket:
        for number in range(1, 4):
            request = asked(await socket.say(pay(recipient)))
            async with asyncio.timeout(SECONDS):
                assert is_paid(await chat.answer(request["yes"]))
            assert fleet.paid_to().count(recipient) == number
        assert (await socket.say("/say 2")).said == "1 2 ", "the live run has gone on"


async def test_a_live_wait_is_answered_past_the_chat(open_chat: OpenChat, fleet: Fleet) -> None:
    chat = open_chat()
    recipient = f"{chat.id}-past"
    async with chat.socket() as socket:
        for number in range(1, 4):
            (request,) = (await socket.say(pay(recipient))).approvals
            assert (await chat.decide(request["approvalId"], True)).status_code == 200
            reply = await socket.server_turn()
            assert is_paid(reply) and fleet.paid_to().count(recipient) == number


@styles
async def test_a_live_wait_is_answered_on_a_socket_of_another_worker(
    open_chat: OpenChat, fleet: Fleet, style: str
) -> None:
    chat = open_chat(style)
    recipient = f"{chat.id}-{style}-socket"
    async with chat.socket() as first:
        request = asked(await first.say(pay(recipient)))
        async with chat.socket() as second:
            await nothing_runs(second)
            assert is_paid(await second.answer(request["yes"]))
    async with chat.socket() as third:
        assert (await third.say("/say 2")).said == "1 2 ", "the chat has moved with the client"
        async with chat.socket() as fourth:
            assert (await fourth.say("/say 3")).said == "1 2 3 "
    assert fleet.paid_to().count(recipient) == 1


async def test_speech_on_another_worker_takes_the_chat_there(open_chat: OpenChat) -> None:
    chat = open_chat()
    async with chat.socket() as first:
        assert (await first.say("/say 1")).said == "1 "
        async with chat.socket() as second:
            await second.speak("/say 2")
            assert (await second.server_turn()).said == "1 2 "
            assert await first.closed() == 4001


async def test_a_message_over_http_leaves_the_socket_open(open_chat: OpenChat) -> None:
    chat = open_chat()
    async with chat.socket() as first:
        assert (await first.say("/say 1")).said == "1 "
        assert (await chat.say("/say 2")).said == "1 2 "
        assert (await first.say("/say 3")).said == "1 2 3 "


async def _refused(chat: Roamer, socket: SocketChat | None) -> Reply:
    say = socket.say if socket else chat.say
    request = (await say(pay(f"{chat.id}-denied"))).approvals[0]
    return await chat.answer(decision(request, False, reason="too dear"))


async def test_a_no_from_another_worker(open_chat: OpenChat, fleet: Fleet) -> None:
    chat = open_chat()
    replies = [await _refused(chat, None)]
    async with chat.socket() as socket:
        replies.append(await _refused(chat, socket))
    assert all("tool-output-denied" in reply.types for reply in replies)
    assert f"{chat.id}-denied" not in fleet.paid_to()


@pytest.mark.parametrize("live", [False, True], ids=["http", "live"])
async def test_pattern_b_over_three_workers(open_chat: OpenChat, live: bool) -> None:
    chat = open_chat()
    async with chat.socket() as socket:
        say = socket.say if live else chat.say
        (request,) = (await say("/call get_location {}")).approvals
        go = await chat.answer(decision(request, True, "get_location"))
        assert "tool-input-available" in go.types, "the browser's go signal"
        yes = {"approval": {"id": request["approvalId"], "approved": True}}
        part = output(request["toolCallId"], PLACE, "get_location", **yes)
        reply = await chat.answer(part)
        assert reply.types[-1] == "finish" and reply.said
        assert (await chat.answer(part)).status in (200, 409), "the first result stands"
    found = (await chat.messages())[-1]["parts"]
    assert [one["output"] for one in found if one["type"] == "tool-get_location"] == [PLACE]


async def test_a_decision_that_comes_while_the_turn_runs_elsewhere(
    open_chat: OpenChat, fleet: Fleet
) -> None:
    """Two calls of one model turn: one is decided past the chat while the other keeps it busy."""
    chat = open_chat()
    recipient = f"{chat.id}-busy"
    requests = (await chat.say(f"{pay(recipient)}\n{pay(recipient)}")).approvals
    fleet.sink.close_after_noting()
    answering = asyncio.create_task(chat.answer(decision(requests[0], True)))
    assert await asyncio.to_thread(fleet.sink.arrived.acquire, timeout=SECONDS)
    assert (await chat.decide(requests[1]["approvalId"], True)).status_code == 200
    fleet.sink.open.set()
    await asyncio.wait_for(answering, SECONDS)

    async def both() -> bool:
        return fleet.paid_to().count(recipient) == 2 and (await states(chat))[-1] == "done"

    await until(both)
    assert (await states(chat)).count("output-available") == 2
