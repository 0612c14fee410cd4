"""Every kind of tool that waits for somebody, in a live chat: asked, answered, refused, late."""

from pathlib import Path
from typing import Any

import pytest
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol import ApprovalPolicy, ClientTool
from adk_stream_protocol.limits import DEFAULT_LIMITS
from tests.support.clients.http import output
from tests.support.servers.in_process import clerk, responses, serving, until
from tests.support.tills import Till, answers, mcp_till_at

MOST = DEFAULT_LIMITS.approvals_per_turn
DENIALS = DEFAULT_LIMITS.denials_per_turn

PAY = '/call pay {"amount": 5}'
DENIED = ["data-approval", "tool-output-denied"]
TRANSFER = '/call transfer_to_agent {"agent_name": "teller"}\n/then\n'
MANAGER, EXECUTIVE = ("mia", "manager"), ("eve", "executive")


@pytest.mark.parametrize("grace", [30.0, 0.01])
async def test_a_tool_of_an_mcp_server_live_or_parked(tmp_path: Path, grace: float) -> None:
    async with mcp_till_at(tmp_path) as till:
        await till.toolset.get_tools()  # the tasks of its connection are not ours to end
        async with serving(till.agent(), grace=grace) as served:
            async with served.socket() as socket:
                asked = await socket.say(PAY)
                assert till.paid == []
            if grace < 1:
                await until(lambda: not served.is_live())
            async with served.socket() as socket:
                reply = await socket.approve(asked.approvals[0])
                assert "error" not in reply.types and till.paid == [5], reply.text
                assert responses(await socket.context())[0]["structuredContent"] == {"paid": 5}
            assert (await served.approve(asked.approvals[0])).status == 409
            assert till.paid == [5]


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-Infinity"])
async def test_a_number_that_is_none_is_refused_before_anyone_is_asked(amount: str) -> None:
    till = Till()
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        reply = await socket.say(f'/call pay {{"amount": {amount}}}')
        assert reply.approvals == [] and "$.amount: a finite number is expected" in reply.text
        assert till.paid == [] and await served.store.listed(None, None) == []


@pytest.mark.parametrize("value", [True, "no", "", None, 1, 0])
async def test_a_predicate_that_does_not_say_false_asks(value: object) -> None:
    till = Till()
    agent = clerk(till.tool(answers(value)))
    async with serving(agent) as served, served.socket() as socket:
        denied = await socket.approve((await socket.say(PAY)).approvals[0], False)
        assert denied.types[1:3] == DENIED and till.paid == []
        done = await socket.approve((await socket.say(PAY)).approvals[0])
        assert done.types[1] == "tool-output-available" and till.paid == [5]


async def test_a_predicate_that_says_false_does_not_ask_and_one_that_raises_refuses() -> None:
    till = Till()
    agent = clerk(till.tool(answers(False)))
    async with serving(agent) as served, served.socket() as socket:
        assert (await socket.say(PAY)).approvals == [] and till.paid == [5]
    agent = clerk(till.tool(answers(RuntimeError("password 1234"))))
    async with serving(agent) as served, served.socket() as socket:
        reply = await socket.say(PAY)
        assert reply.approvals == [] and "1234" not in reply.text
        assert (
            "could not tell whether this call needs approval"
            in reply.of_type("tool-output-error")[0]["errorText"]
        )
    assert till.paid == [5]


async def test_a_predicate_that_changes_its_mind_does_not_undo_the_question() -> None:
    verdicts = iter([True, False, False])

    def predicate(amount: float, tool_context: ToolContext) -> bool:
        return next(verdicts)

    till = Till()
    agent = clerk(till.tool(predicate))
    async with serving(agent) as served, served.socket() as socket:
        asked = await socket.say(PAY)
        assert len(asked.approvals) == 1 and till.paid == []
        assert (await socket.approve(asked.approvals[0], False)).types[1:3] == DENIED
    assert till.paid == []


@pytest.mark.parametrize("grace", [30.0, 0.01])
async def test_a_tool_of_a_sub_agent_live_or_parked(grace: float) -> None:
    till = Till()
    teller = clerk(till.tool(), ClientTool("locate", "Where?"), name="teller", description="Pays.")
    async with serving(clerk(sub_agents=[teller]), grace=grace) as served:
        async with served.socket() as socket:
            asked = await socket.say(f"{TRANSFER}{PAY}")
            assert len(asked.approvals) == 1
        if grace < 1:
            await until(lambda: not served.is_live())
        async with served.socket() as socket:
            reply = await socket.approve(asked.approvals[0])
            assert reply.of_type("tool-output-available")[0]["output"] == {"paid": 5}
            assert reply.said.endswith('the call of pay returned {"paid": 5}.')
            call = (await socket.say("/call locate {}")).calls[0]
            located = await socket.answer(output(call, {"lat": 1}, "locate"))
            assert located.said == 'The call of locate returned {"lat": 1}.'
    assert till.paid == [5]


async def test_inside_an_agent_tool_nobody_can_be_asked() -> None:
    till = Till()
    teller = clerk(till.tool(), name="teller", description="Pays.")
    async with serving(clerk(AgentTool(teller))) as served, served.socket() as socket:
        ask = '{"request": "/call pay {\\"amount\\": 5}"}'
        reply = await socket.say(f"/call teller {ask}")
        assert reply.approvals == [] and reply.types[-1] == "finish", reply.text
        assert "cannot be asked for inside an agent tool" in reply.text
        assert (await socket.say("hello")).said
    assert till.paid == []


async def test_a_tool_that_asks_in_its_body_is_refused_in_words() -> None:
    def pay(amount: float, tool_context: ToolContext) -> dict[str, str]:
        """Pay."""
        tool_context.request_confirmation(hint="Sure?")
        return {"status": "pending"}

    async with serving(clerk(pay)) as served, served.socket() as socket:
        reply = await socket.say(PAY)
        assert reply.approvals == []
        (refused,) = reply.of_type("tool-output-error")
        assert "cannot ask for approval while it runs" in refused["errorText"]
        assert responses(await socket.context()) == [
            {"error": refused["errorText"], "outcome": "refused"}
        ]


async def test_who_has_said_no_three_times_is_not_asked_again() -> None:
    till = Till()
    script = "\n/then\n".join([PAY] * (DENIALS + 1))
    async with serving(clerk(till.tool())) as served, served.socket() as socket:
        reply = await socket.say(script)
        for _ in range(DENIALS):
            reply = await socket.approve(reply.approvals[0], False)
        assert reply.approvals == [] and "do not ask again" in reply.text
        assert len((await socket.say(PAY)).approvals) == 1
        assert await served.states() == ["denied"] * DENIALS + ["pending"]
    assert till.paid == []


async def test_at_most_sixteen_are_asked_for_at_once() -> None:
    till = Till()
    async with serving(clerk(till.tool()), calls="parallel") as served, served.socket() as socket:
        reply = await socket.say("\n".join([PAY] * (MOST + 2)))
        assert len(reply.approvals) == MOST
        refused = reply.of_type("tool-output-error")
        assert len(refused) == 2 and "No more than 16" in refused[0]["errorText"]
        for request in reply.approvals:
            reply = await socket.approve(request)
        assert "error" not in reply.types
    assert till.paid == [5] * MOST


async def test_a_request_that_expires_is_closed_for_user_and_model() -> None:
    till = Till()
    async with serving(clerk(till.tool()), approval_ttl=0.3) as served, served.socket() as socket:
        request = (await socket.say(PAY)).approvals[0]
        closing = await socket.server_turn()
        (closed,) = closing.of_type("tool-output-error")
        assert closed["toolCallId"] == request["toolCallId"]
        assert "expired" in closed["errorText"] and "expired" in closing.said
        assert "(expired, " in (await socket.approve(request)).text
        assert (await served.approve(request)).status == 410
        assert (await served.decide(request["approvalId"], True)).status_code == 410
        assert await served.states() == ["expired"]
        assert "expired" in responses(await served.context())[0]["error"]
    assert till.paid == []


async def test_a_parked_request_that_expires_is_told_later() -> None:
    till = Till()
    async with serving(clerk(till.tool()), approval_ttl=0.3, grace=0.01) as served:
        async with served.socket() as socket:
            request = (await socket.say(PAY)).approvals[0]
        await until(lambda: served.request_is_over(request))
        async with served.socket() as socket:
            assert "(expired, " in (await socket.approve(request)).text
            assert "expired" in responses(await socket.context())[0]["error"]
        assert (await served.approve(request)).status in (409, 410)
    assert till.paid == []


@pytest.mark.parametrize("gated", [True, False])
async def test_a_browser_that_is_late_is_not_waited_for(gated: bool) -> None:
    tool = ClientTool("locate", "Where?", approval=gated, ttl=0.3)
    async with serving(clerk(tool)) as served, served.socket() as socket:
        asked = await socket.say("/call locate {}")
        if gated:
            await socket.approve(asked.approvals[0], name="locate")
        closing = await socket.server_turn()
        (closed,) = closing.of_type("tool-output-error")
        assert "expired" in closed["errorText"] and "expired" in closing.said
        late = await socket.answer(output(asked.calls[0], {"lat": 1}, "locate"))
        assert late.status == 0 and "expired" in late.text
        assert len(responses(await socket.context(), "locate")) == 1


async def test_approvers_decide_while_the_live_run_of_the_asker_waits() -> None:
    till = Till()
    policy = ApprovalPolicy("pay", steps=("manager", "executive"))
    options: Any = {"policies": [policy]}
    async with serving(clerk(till.tool()), **options) as served, served.socket() as socket:
        request = (await socket.say(PAY)).approvals[0]
        approval_id = request["approvalId"]
        assert "(forbidden, " in (await socket.approve(request)).text
        assert (await served.approve(request)).status == 403
        first = await served.decide(approval_id, True, *MANAGER)
        assert first.json()["state"] == "pending" and till.paid == []
        last = await served.decide(approval_id, True, *EXECUTIVE)
        assert last.json()["state"] == "approved"
        reply = await socket.server_turn()
        assert reply.of_type("tool-output-available")[0]["output"] == {"paid": 5}
        assert reply.said == 'The call of pay returned {"paid": 5}.'
        assert await served.states() == ["done"]
    assert till.paid == [5]


async def test_a_no_of_an_approver_reaches_the_live_model_with_its_reason() -> None:
    till = Till()
    options: Any = {"policies": [ApprovalPolicy("pay", steps=("manager",))]}
    async with serving(clerk(till.tool()), **options) as served, served.socket() as socket:
        approval_id = (await socket.say(PAY)).approvals[0]["approvalId"]
        body = {"approved": False, "reason": "too dear"}
        answer = await served.request("POST", f"/api/approvals/{approval_id}", body, *MANAGER)
        assert answer.json()["state"] == "denied"
        reply = await socket.server_turn()
        assert "tool-output-denied" in reply.types
        assert responses(await socket.context())[0]["reason"] == "too dear"
    assert till.paid == []
