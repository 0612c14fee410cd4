"""The stored side while things go on: running turns, live runs, titles and ids."""

import asyncio
import json
from typing import Any

from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol import ApprovalPolicy, Principal
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import decode_turn
from adk_stream_protocol.convert.history.message_builder import MessageFold
from adk_stream_protocol.protocol.messages import parse_request
from tests.support.clients.http import Json
from tests.support.servers.without_network import Served, agent, until


def pay(amount: int) -> dict[str, int]:
    """Pay."""
    return {"paid": amount}


PAY = FunctionTool(pay, require_confirmation=True)


class Desk(Served):
    async def messages(self) -> list[Json]:
        found = await self.request("GET", "/api/chat/c/messages")
        assert found.status_code == 200, found.text
        return found.json()

    async def open(self, body: Json, *, live: bool = False) -> Turn:
        asked = decode_turn(parse_request(json.dumps(body).encode()))
        return await self.chat.open_turn(Principal("alice"), "c", asked, "native", live=live)


def said(text: str, id: str = "mine") -> Json:
    part = {"type": "text", "text": text}
    return {"messages": [{"id": id, "role": "user", "parts": [part]}]}


async def folded(turn: Turn) -> Json:
    fold = MessageFold()
    async for batch in turn.batches(10):
        assert batch
        fold.add(batch)
    return fold.message()


async def test_the_message_of_a_running_turn_is_left_out() -> None:
    async def hang() -> None:
        """Never ends."""
        began.set()
        await asyncio.Event().wait()

    began = asyncio.Event()
    desk = Desk(agent(hang))
    await folded(await desk.open(said("/say 1", "first")))
    turn = await desk.open(said("/call hang {}"))
    await asyncio.wait_for(began.wait(), 60)
    found = await desk.messages()
    assert [one["id"] for one in found[::2]] == ["first", "mine"]
    assert [one["role"] for one in found] == ["user", "assistant", "user"]
    await desk.stop()
    whole = await folded(turn)
    assert (await desk.messages())[-1]["id"] == whole["id"]


async def test_a_continuation_takes_its_message_out_while_it_runs() -> None:
    async def slow(amount: int) -> dict[str, int]:
        """Pay slowly."""
        began.set()
        await asyncio.wait_for(go.wait(), 60)
        return {"paid": amount}

    began, go = asyncio.Event(), asyncio.Event()
    desk = Desk(agent(FunctionTool(slow, require_confirmation=True)))
    asked = await folded(await desk.open(said('/call slow {"amount": 5}')))
    (part,) = [one for one in asked["parts"] if one["type"] == "tool-slow"]
    part |= {"state": "approval-responded", "approval": part["approval"] | {"approved": True}}
    turn = await desk.open({"messages": [asked], "messageId": asked["id"]})
    await asyncio.wait_for(began.wait(), 60)
    assert [one["role"] for one in await desk.messages()] == ["user"]
    go.set()
    assert [batch async for batch in turn.batches(10)]
    assert [one["id"] for one in await desk.messages()] == ["mine", asked["id"]]


async def test_live_messages_keep_their_ids() -> None:
    desk = Desk(agent(PAY))
    first = await folded(await desk.open(said("/say 2"), live=True))
    second = await folded(await desk.open(said('/call pay {"amount": 5}'), live=True))
    found = await desk.messages()
    assert [one["id"] for one in found if one["role"] == "assistant"] == [first["id"], second["id"]]
    assert found[-1]["parts"] == second["parts"]
    await desk.chat.close()


async def test_deleting_a_chat_ends_its_live_run() -> None:
    desk = Desk(agent(PAY))
    await folded(await desk.open(said('/call pay {"amount": 5}'), live=True))
    assert (await desk.request("DELETE", "/api/chat/c")).status_code == 204
    chat = desk.chat.get("alice", "c")
    assert chat is None or not chat.is_active
    assert await desk.states() == ["cancelled"]
    assert (await desk.request("GET", "/api/chat/c/messages")).status_code == 404


async def test_a_new_chat_keeps_its_title() -> None:
    desk = Desk(agent())
    await folded(await desk.open(said("First  things\nfirst")))
    reads = 0
    read = desk.sessions.get_session

    async def get_session(**key: Any) -> Any:
        nonlocal reads
        reads += 1
        return await read(**key)

    desk.sessions.get_session = get_session
    (found,) = (await desk.request("GET", "/api/chats")).json()
    assert (found["title"], reads) == ("First things first", 0)
    again = {**said("Something else"), "messageId": "mine"}
    await folded(await desk.open(again))
    (found,) = (await desk.request("GET", "/api/chats")).json()
    assert found["title"] == "Something else"
    assert [one["id"] for one in await desk.messages()][0] == "mine"


async def test_a_turn_that_goes_on_by_itself_shows_as_it_comes() -> None:
    desk = Desk(agent(PAY), policies=[ApprovalPolicy("pay", steps=("boss",))])
    (request,) = (await desk.say('/call pay {"amount": 5}')).approvals
    await desk.decide(request["approvalId"], True, "bob", "boss")

    async def done() -> bool:
        states = [part.get("state") for part in (await desk.messages())[-1]["parts"]]
        return "output-available" in states and states[-1] == "done"

    await until(done)
    assert len(await desk.messages()) == 2


async def test_second_thoughts_in_a_live_chat() -> None:
    desk = Desk(agent(PAY))
    await folded(await desk.open(said("/say 1", "first"), live=True))
    asked = await folded(await desk.open(said("/say 2", "second"), live=True))
    again = {**said("/say 2", "second"), "trigger": "regenerate-message", "messageId": asked["id"]}
    answer = await folded(await desk.open(again, live=True))
    found = await desk.messages()
    assert [one["role"] for one in found] == ["user", "assistant"] * 2
    assert found[-1] == answer and answer["id"] != asked["id"]
    echo = await folded(await desk.open(said("/echo", "third"), live=True))
    texts = echo["parts"][-1]["text"]
    assert texts.count("/say 2") == 1 and texts.count("/say 1") == 1
    await desk.chat.close()
