"""Approvers other than the asker: who sees a request, who decides it, and how the chat goes on."""

import asyncio

import pytest
from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol import ApprovalPolicy
from tests.support.clients.http import Json
from tests.support.servers.without_network import Served, agent, until
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
MANAGER = ("mia", "manager")
EXECUTIVE = ("eve", "executive")


def served(till: Till, *steps: str, **options: object) -> Served:
    policy = ApprovalPolicy("pay", steps=steps, title="Pay out")
    return Served(agent(till.tool()), policies=[policy], **options)


async def waiting_id(chat: Served, who: str, roles: str) -> str:
    (only,) = await chat.waiting(who, roles)
    return only["id"]


async def settled(chat: Served, text: str) -> None:
    async def holds() -> bool:
        return text in await chat.history()

    await until(holds)


async def test_manager_then_executive_and_the_chat_goes_on_by_itself() -> None:
    till = Till()
    chat = served(till, "manager", "executive")
    asked = await chat.say(PAY)
    assert (await chat.answer(asked.approvals, True)).status == 403
    assert (await chat.answer(asked.approvals, False)).status == 403
    for stranger in (("alice", ""), ("alice", "manager"), EXECUTIVE, ("bob", "clerk")):
        assert await chat.waiting(*stranger) == []
    (shown,) = await chat.waiting(*MANAGER)
    assert (shown["askedBy"], shown["title"], shown["waitsFor"]) == ("alice", "Pay out", "manager")
    assert (await chat.decide(shown["id"], True, *EXECUTIVE)).status_code == 403
    assert (await chat.decide(shown["id"], True, "bob", "clerk")).status_code == 404
    first = await chat.decide(shown["id"], True, *MANAGER)
    assert first.json() == {"id": shown["id"], "state": "pending"}
    assert await chat.waiting(*MANAGER) == [] and till.paid == []
    assert (await chat.decide(shown["id"], False, *MANAGER)).status_code == 403
    last = await chat.decide(await waiting_id(chat, *EXECUTIVE), True, *EXECUTIVE)
    assert last.json()["state"] == "approved"
    await settled(chat, '"paid": 5')
    assert till.paid == [5] and await chat.states() == ["done"]
    assert "error" not in (await chat.say_when_free("hello")).types
    events = [line.event for line in await chat.store.trail(None)]
    assert events[:3] == ["request", "approve", "approve"] and events.count("claim") == 1


@pytest.mark.parametrize("refuser", [MANAGER, EXECUTIVE])
async def test_a_denial_at_any_step_ends_it_and_the_model_is_told(refuser: tuple[str, str]) -> None:
    till = Till()
    chat = served(till, "manager", "executive")
    await chat.say(PAY)
    approval_id = await waiting_id(chat, *MANAGER)
    if refuser == EXECUTIVE:
        await chat.decide(approval_id, True, *MANAGER)
    denied = await chat.decide(approval_id, False, *refuser, reason="too dear")
    assert denied.json()["state"] == "denied"
    await settled(chat, "too dear")
    assert till.paid == []
    assert (await chat.decide(approval_id, True, *EXECUTIVE)).status_code == 409
    told = (await chat.say_when_free("/echo")).said
    assert "The user denied this call" in told and "too dear" in told


@pytest.mark.parametrize("body", [{"approved": "yes"}, {"approved": 1}, {}, {"approved": None}])
async def test_only_true_is_a_yes(body: Json) -> None:
    till = Till()
    chat = served(till, "manager")
    await chat.say(PAY)
    approval_id = await waiting_id(chat, *MANAGER)
    answer = await chat.request("POST", f"/api/approvals/{approval_id}", body, *MANAGER)
    assert answer.status_code == 422 and await chat.states() == ["pending"]


async def test_a_decision_during_the_turn_that_another_one_started_goes_on_too() -> None:
    paid: list[int] = []
    first, gate = asyncio.Event(), asyncio.Event()

    async def pay(amount: int) -> dict[str, int]:
        """Pay, the first time slowly."""
        paid.append(amount)
        first.set()
        await gate.wait()
        return {"paid": amount}

    policy = ApprovalPolicy("pay", steps=("manager",))
    chat = Served(agent(FunctionTool(pay, require_confirmation=True)), policies=[policy])
    await chat.say('/call pay {"amount": 1}\n/call pay {"amount": 2}')
    one, two = [request["id"] for request in await chat.waiting(*MANAGER)]
    assert (await chat.decide(one, True, *MANAGER)).status_code == 200
    await asyncio.wait_for(first.wait(), 60)
    assert (await chat.decide(two, True, *MANAGER)).status_code == 200
    gate.set()

    async def all_done() -> bool:
        return await chat.states() == ["done"] * 2

    await until(all_done)
    assert sorted(paid) == [1, 2]


async def test_many_managers_at_once_one_decides() -> None:
    till = Till()
    chat = served(till, "manager")
    for round_number in range(10):
        await chat.say(PAY)
        approval_id = await waiting_id(chat, *MANAGER)
        answers = await asyncio.gather(
            *(
                chat.decide(approval_id, number % 3 != round_number % 3, f"m{number}", "manager")
                for number in range(2 + round_number)
            )
        )
        codes = sorted(answer.status_code for answer in answers)
        assert codes == [200] + [409] * (len(codes) - 1)
        (won,) = [answer.json()["state"] for answer in answers if answer.status_code == 200]
        await settled(chat, "paid" if won == "approved" else "denied")
        assert "error" not in (await chat.say_when_free("hello")).types
    states = await chat.states()
    assert len(till.paid) == states.count("done") and states.count("denied") == 10 - len(till.paid)


async def test_a_refused_request_leaves_nothing_behind() -> None:
    """Yes to my own call and to one that waits for the manager: 403, and neither is decided."""
    own, theirs = Till(), Till()
    theirs_tool = theirs.tool()
    theirs_tool.name = "wire"
    policy = ApprovalPolicy("wire", steps=("manager",))
    chat = Served(agent(own.tool(), theirs_tool), policies=[policy])
    asked = await chat.say('/call pay {"amount": 1}\n/call wire {"amount": 2}')
    assert (await chat.answer(asked.approvals, True, True)).status == 403
    assert await chat.states() == ["pending", "pending"] and own.paid == []


async def test_what_expired_while_nobody_looked_is_told_to_the_model() -> None:
    till = Till()
    chat = Served(agent(till.tool()), approval_ttl=1e-9)
    asked = await chat.say(PAY)
    assert await chat.waiting("alice", "") == [] and await chat.states() == ["expired"]
    assert (await chat.decide(asked.approvals[0]["approvalId"], True, "alice", "")).status_code in (
        409,
        410,
    )
    assert (await chat.answer(asked.approvals, True)).status == 410
    told = (await chat.say("/echo")).said
    assert "The call expired" in told, told
    assert till.paid == []
