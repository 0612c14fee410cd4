"""A decision about other arguments than would run is refused, and leaves a trace."""

from typing import Any

import pytest

from tests.support.clients.http import Json, decision
from tests.support.servers.in_process import clerk, serving
from tests.support.tills import Till

PAY = '/call pay {"amount": 5}'
WAYS = ["http", "socket"]


def part(request: Json, approved: bool, shown: Any) -> Json:
    return {**decision(request, approved, "pay"), "input": shown}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("approved", [True, False])
@pytest.mark.parametrize(
    "shown", [{"amount": 4}, {"amount": "5"}, {"amount": 5, "to": "eve"}, None, [], "5", True]
)
async def test_other_arguments_are_refused(shown: Any, approved: bool, way: str) -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        client = served if way == "http" else socket
        (request,) = (await client.say(PAY)).approvals
        refused = await client.answer(part(request, approved, shown))
        assert "conflict" in refused.text and "What was shown" in refused.text
        assert (await served.states(), till.paid) == (["pending"], [])
        assert await served.trail() == ["request", "mismatch"]
        await client.answer(part(request, True, {"amount": 5}))
    assert till.paid == [5]


async def test_a_browser_rounds_large_numbers() -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served:
        (request,) = (await served.say('/call pay {"amount": 9007199254740993}')).approvals
        near = part(request, True, {"amount": 9007199254740994})
        assert (await served.answer(near)).status == 409
        rounded = part(request, True, {"amount": 9007199254740992})
        assert (await served.answer(rounded)).status == 200
    assert till.paid == [9007199254740993]


@pytest.mark.parametrize("shown", [{"amount": 5}, {"amount": 5.0}, {}])
async def test_equal_arguments_and_none_are_taken_however_they_are_written(shown: Any) -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served:
        (request,) = (await served.say(PAY)).approvals
        assert (await served.answer(part(request, True, shown))).status == 200
    assert till.paid == [5]


@pytest.mark.parametrize(("amount", "is_taken"), [(5, True), (6, False)])
async def test_the_call_that_asks_shows_the_arguments_too(amount: int, is_taken: bool) -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served:
        (request,) = (await served.say(PAY)).approvals
        original = {"id": request["toolCallId"], "name": "pay", "args": {"amount": amount}}
        confirmation = {
            "type": "tool-adk_request_confirmation",
            "toolCallId": request["approvalId"],
            "state": "output-available",
            "input": {"originalFunctionCall": original},
            "output": {"confirmed": True},
        }
        found = await served.answer(confirmation)
        assert found.status == (200 if is_taken else 409)
    assert till.paid == ([5] if is_taken else [])
