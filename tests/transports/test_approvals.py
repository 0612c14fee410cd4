"""The inbox over HTTP: what waits for whom, and decisions from outside of the chat."""

import pytest

from tests.support.servers.without_network import Served, agent
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'


async def test_what_waits_is_listed_for_who_may_decide_it() -> None:
    served = Served(agent(Till().tool()))
    (asked,) = (await served.say(PAY)).approvals
    (listed,) = await served.waiting("alice", "")
    assert listed["id"] == asked["approvalId"] and listed["toolCallId"] == asked["toolCallId"]
    assert (listed["chatId"], listed["askedBy"]) == ("c", "alice")
    assert await served.waiting("bob", "") == []


async def test_a_yes_from_outside_runs_the_call() -> None:
    till = Till()
    served = Served(agent(till.tool()))
    (asked,) = (await served.say(PAY)).approvals
    decided = await served.decide(asked["approvalId"], True, "alice", "")
    assert decided.json() == {"id": asked["approvalId"], "state": "approved"}
    assert (await served.say_when_free("hello")).status == 200
    assert till.paid == [5] and await served.waiting("alice", "") == []


@pytest.mark.parametrize("approved", ["yes", 1, None])
async def test_only_true_and_false_are_decisions(approved: object) -> None:
    served = Served(agent(Till().tool()))
    (asked,) = (await served.say(PAY)).approvals
    refused = await served.decide(asked["approvalId"], approved, "alice", "")
    assert refused.status_code == 422 and "$.approved" in refused.text
    assert await served.states() == ["pending"]


async def test_an_unknown_request_and_one_of_somebody_else_are_alike() -> None:
    served = Served(agent(Till().tool()))
    (asked,) = (await served.say(PAY)).approvals
    foreign = await served.decide(asked["approvalId"], True, "bob", "")
    unknown = await served.decide("adk-0", True, "bob", "")
    assert foreign.status_code == unknown.status_code == 404
