"""The gate in front of real ADK runs: who is asked, about what, and what never runs."""

from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from adk_stream_protocol.approvals import record
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.limits import DEFAULT_LIMITS
from adk_stream_protocol.testing import ScriptedModel
from tests.support.servers.without_network import Served, agent
from tests.support.tills import Till, answers, outputs

MOST = DEFAULT_LIMITS.approvals_per_turn


async def test_the_flag_asks_and_the_yes_runs_it_once_with_its_key() -> None:
    till = Till()
    served = Served(agent(till.tool()))
    asked = await served.say('/call pay {"amount": 5}')
    assert till.paid == [] and len(asked.approvals) == 1
    done = await served.answer(asked.approvals, True)
    assert till.paid == [5] and done.of_type("tool-output-available")[0]["output"] == {"paid": 5}
    assert till.keys == [record.idempotency_key(ChatId("clerk", "alice", "c"), asked.calls[0])]
    again = await served.answer(asked.approvals, True)
    assert again.of_type("tool-output-available") and till.paid == [5]
    assert (await served.answer(asked.approvals, False)).status == 409


async def test_a_denied_call_never_runs_and_the_model_is_told() -> None:
    till = Till()
    served = Served(agent(till.tool()))
    asked = await served.say('/call pay {"amount": 5}')
    denied = await served.answer(asked.approvals, False)
    assert "tool-output-denied" in denied.types and till.paid == []
    assert "The user denied this call" in (await served.say("/echo")).said


@pytest.mark.parametrize("value", [True, "no", "", None, 1, 0])
async def test_a_predicate_that_does_not_say_false_asks(value: object) -> None:
    till = Till()
    served = Served(agent(till.tool(answers(value))))
    reply = await served.say('/call pay {"amount": 5}')
    assert len(reply.approvals) == 1 and till.paid == []
    denied = await served.answer(reply.approvals, False)
    assert till.paid == [] and await served.states() == ["denied"]
    assert "error" not in denied.types, denied.text
    reply = await served.say('/call pay {"amount": 6}')
    done = await served.answer(reply.approvals, True)
    assert till.paid == [6] and "error" not in done.types, done.text


async def test_a_predicate_that_raises_refuses() -> None:
    till = Till()
    served = Served(agent(till.tool(answers(RuntimeError("no rules today")))))
    reply = await served.say('/call pay {"amount": 5}')
    assert reply.approvals == [] and till.paid == [] and reply.types[-1] == "finish"
    assert (
        "could not tell whether this call needs approval" in outputs(reply)
        and "no rules" not in reply.text
    )


async def test_a_predicate_that_says_false_does_not_ask() -> None:
    till = Till()
    served = Served(agent(till.tool(answers(False))))
    reply = await served.say('/call pay {"amount": 5}')
    assert reply.approvals == [] and till.paid == [5] and await served.states() == []


@pytest.mark.parametrize(
    "arguments", ['{"amount": "five"}', "{}", '{"amount": {"a": 1}}', '{"amount": NaN}']
)
async def test_arguments_that_do_not_fit_are_refused_before_anyone_is_asked(arguments: str) -> None:
    till = Till()
    served = Served(agent(till.tool()))
    reply = await served.say(f"/call pay {arguments}")
    assert reply.approvals == [] and till.paid == [] and await served.states() == []
    assert "arguments are not valid" in outputs(reply) and "nobody was asked" in outputs(reply)


async def test_at_most_16_are_pending() -> None:
    till = Till()
    served = Served(agent(till.tool()))
    reply = await served.say("\n".join(['/call pay {"amount": 5}'] * (MOST + 3)))
    assert len(reply.approvals) == MOST
    assert outputs(reply).count("No more than 16") == 3
    done = await served.answer(reply.approvals, *([True] * MOST))
    assert till.paid == [5] * MOST and done.types[-1] == "finish"


async def test_a_third_denial_in_a_turn_stops_the_asking() -> None:
    till = Till()
    served = Served(agent(till.tool()))
    reply = await served.say("\n/then\n".join(['/call pay {"amount": 5}'] * 5))
    for _ in range(3):
        assert len(reply.approvals) == 1
        reply = await served.answer(reply.approvals, False)
    assert reply.approvals == [] and till.paid == []
    assert "denied 3 times" in outputs(reply)
    assert len((await served.say('/call pay {"amount": 5}')).approvals) == 1


async def test_a_sub_agent_is_gated_after_a_transfer() -> None:
    till = Till()
    teller = LlmAgent(
        name="teller", description="Pays.", model=ScriptedModel(), tools=[till.tool()]
    )
    served = Served(agent(sub_agents=[teller]))
    transfer = '/call transfer_to_agent {"agent_name": "teller"}'
    asked = await served.say(f'{transfer}\n/then\n/call pay {{"amount": 5}}')
    assert len(asked.approvals) == 1 and till.paid == []
    await served.answer(asked.approvals, True)
    assert till.paid == [5]


async def test_inside_an_agent_tool_there_is_a_clear_error_and_no_run() -> None:
    till = Till()
    inner = LlmAgent(name="helper", model=ScriptedModel(), tools=[till.tool()])
    served = Served(agent(AgentTool(inner)))
    reply = await served.say(
        '/call helper {"request": "/call pay {\\"amount\\": 5}\\n/then\\n/echo"}'
    )
    assert reply.approvals == [] and till.paid == [] and await served.states() == []
    assert "cannot be asked for inside an agent tool" in outputs(reply)


class Asking:
    """A tool that asks in its body and does not look at the verdict."""

    def __init__(self) -> None:
        self.ran: list[int] = []

    def act(self, amount: int, tool_context: ToolContext) -> dict[str, Any]:
        """Act."""
        if tool_context.tool_confirmation is None:
            tool_context.request_confirmation(hint="May I?")
            return {"status": "asked"}
        self.ran.append(amount)
        return {"status": "done"}


async def test_a_tool_that_ignores_the_verdict_does_not_run_after_a_denial() -> None:
    tool = Asking()
    served = Served(agent(tool.act))
    asked = await served.say('/call act {"amount": 5}')
    denied = await served.answer(asked.approvals, False)
    assert tool.ran == [] and "error" not in denied.types
    asked = await served.say('/call act {"amount": 6}')
    await served.answer(asked.approvals, True)
    assert tool.ran == [6]


async def test_asking_in_the_body_counts_like_any_other_asking() -> None:
    served = Served(agent(Asking().act, Till().tool()))
    first = "\n".join(['/call act {"amount": 1}'] * 10)
    many = "\n".join(['/call pay {"amount": 1}'] * (MOST + 5))
    reply = await served.say(f"{first}\n{many}")
    assert len(reply.approvals) <= MOST
    await served.say("hello")
    reply = await served.say(many)
    assert len(reply.approvals) <= MOST, "the count went wrong in the turn before"


class Remote(BaseTool):
    """Like McpTool(require_confirmation=True): it says it needs approval; ADK has to ask."""

    def __init__(self) -> None:
        super().__init__(name="remote", description="Runs elsewhere.")
        self.ran = 0

    def _get_declaration(self) -> types.FunctionDeclaration:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        return types.FunctionDeclaration(name=self.name, parameters_json_schema=schema)

    async def check_require_confirmation(
        self, args: dict[str, Any], tool_context: ToolContext
    ) -> bool:
        return True

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        self.ran += 1
        return {"n": args["n"]}


async def test_a_remote_tool_is_gated_by_its_own_declaration() -> None:
    tool = Remote()
    served = Served(agent(tool))
    assert "not valid" in outputs(await served.say('/call remote {"n": "x"}'))
    asked = await served.say('/call remote {"n": 1}')
    assert len(asked.approvals) == 1 and tool.ran == 0
    await served.answer(asked.approvals, False)
    assert tool.ran == 0
    asked = await served.say('/call remote {"n": 1}')
    await served.answer(asked.approvals, True)
    assert tool.ran == 1
