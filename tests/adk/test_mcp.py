"""ADK's own MCP toolset in front of a real MCP server, gated like every other tool."""

from pathlib import Path

import pytest
from google.adk.agents import LlmAgent
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from adk_stream_protocol import Principal
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.protocol.sse import SSE_DONE, encode_sse
from adk_stream_protocol.testing import ScriptedModel
from tests.support.clients.http import Json, Reply
from tests.support.servers.without_network import Served
from tests.support.tills import mcp_till_at, outputs

pytestmark = pytest.mark.processes

ALICE = Principal("alice")


async def test_a_yes_runs_it_once_and_a_repeat_is_told_the_result(tmp_path: Path) -> None:
    async with mcp_till_at(tmp_path) as till:
        served = Served(till.agent())
        asked = await served.say('/call pay {"amount": 5}')
        assert len(asked.approvals) == 1 and till.paid == []
        done = await served.answer(asked.approvals, True)
        assert till.paid == [5] and paid_in(done) == [5]
        again = await served.answer(asked.approvals, True)
        assert till.paid == [5] and paid_in(again) == [5]
        assert (await served.answer(asked.approvals, False)).status == 409
        assert await served.states() == ["done"]


async def test_a_denied_call_does_not_reach_the_server(tmp_path: Path) -> None:
    async with mcp_till_at(tmp_path) as till:
        served = Served(till.agent())
        asked = await served.say('/call pay {"amount": 5}')
        denied = await served.answer(asked.approvals, False)
        assert "tool-output-denied" in denied.types and "error" not in denied.types
        assert "The user denied this call" in (await served.say("/echo")).said
        assert till.paid == [] and await served.states() == ["denied"]


async def test_arguments_are_held_against_the_schema_of_the_server(tmp_path: Path) -> None:
    async with mcp_till_at(tmp_path) as till:
        served = Served(till.agent())
        for arguments in (
            '{"amount": "five"}',
            "{}",
            '{"amount": 5, "recipient": {"name": "Bob"}}',
        ):
            reply = await served.say(f"/call pay {arguments}")
            assert reply.approvals == [] and "arguments are not valid" in outputs(reply)
            assert "nobody was asked" in outputs(reply)
        assert till.paid == [] and await served.states() == []


async def test_a_predicate_decides_about_the_arguments(tmp_path: Path) -> None:
    def over_ten(amount: int, tool_context: ToolContext) -> bool:
        return amount > 10

    async with mcp_till_at(tmp_path, over_ten) as till:
        served = Served(till.agent())
        assert (await served.say('/call pay {"amount": 5}')).approvals == []
        assert till.paid == [5]
        asked = await served.say('/call pay {"amount": 50}')
        assert len(asked.approvals) == 1 and till.paid == [5]


async def test_two_calls_are_asked_for_and_answered_apart(tmp_path: Path) -> None:
    async with mcp_till_at(tmp_path) as till:
        served = Served(till.agent())
        asked = await served.say('/call pay {"amount": 5}\n/call pay {"amount": 6}')
        assert len(asked.approvals) == 2 and till.paid == []
        done = await served.answer(asked.approvals, False, True)
        assert till.paid == [6] and paid_in(done) == [6]


async def test_what_the_server_refuses_is_recorded_and_not_tried_again(tmp_path: Path) -> None:
    async with mcp_till_at(tmp_path) as till:
        served = Served(till.agent())
        asked = await served.say('/call pay {"amount": 13}')
        failed = await served.answer(asked.approvals, True)
        assert till.paid == [13] and "isError" in outputs(failed)
        again = await served.answer(asked.approvals, True)
        assert till.paid == [13] and outputs(again) == outputs(failed)


async def test_a_sub_agent_is_gated_after_a_transfer(tmp_path: Path) -> None:
    async with mcp_till_at(tmp_path) as till:
        teller = till.agent("teller", description="Pays.")
        served = Served(LlmAgent(name="clerk", model=ScriptedModel(), sub_agents=[teller]))
        transfer = '/call transfer_to_agent {"agent_name": "teller"}'
        asked = await served.say(f'{transfer}\n/then\n/call pay {{"amount": 5}}')
        assert len(asked.approvals) == 1 and till.paid == []
        done = await served.answer(asked.approvals, True)
        assert till.paid == [5] and paid_in(done) == [5]


@pytest.mark.parametrize("approved", [True, False])
async def test_in_a_live_chat_it_waits_for_the_same_answer(tmp_path: Path, approved: bool) -> None:
    async with mcp_till_at(tmp_path) as till:
        served = Served(till.agent())
        asked = await live(served, said('/call pay {"amount": 5}'))
        assert len(asked.approvals) == 1 and till.paid == []
        done = await live(served, answered(asked.approvals[0], approved))
        assert till.paid == ([5] if approved else [])
        kind = "tool-output-available" if approved else "tool-output-denied"
        assert kind in done.types and done.types[-1] == "finish"
        again = await live(served, answered(asked.approvals[0], approved))
        assert kind in again.types and till.paid == ([5] if approved else [])
        await served.chat.close()


async def test_a_live_chat_asks_nobody_about_arguments_that_do_not_fit(tmp_path: Path) -> None:
    async with mcp_till_at(tmp_path) as till:
        served = Served(till.agent())
        reply = await live(served, said('/call pay {"amount": "five"}'))
        assert reply.approvals == [] and till.paid == [] and await served.states() == []
        assert "arguments are not valid" in outputs(reply)
        await served.chat.close()


def paid_in(reply: Reply) -> list[int]:
    """What the outputs of a turn say was paid."""
    found = [chunk["output"] for chunk in reply.of_type("tool-output-available")]
    return [output["structuredContent"]["paid"] for output in found]


def said(text: str) -> TurnInput:
    return TurnInput(content=types.Content(role="user", parts=[types.Part(text=text)]))


def answered(request: Json, approved: bool) -> TurnInput:
    ids = (request["toolCallId"], request["approvalId"])
    return TurnInput(answers=(Answer(ids=ids, path="$", approved=approved),), message_id="m")


async def live(served: Served, turn_input: TurnInput) -> Reply:
    """A turn of a live chat, read to its end."""
    turn = await served.chat.open_turn(ALICE, "c", turn_input, "native", live=True)
    return await read(turn)


async def read(turn: Turn) -> Reply:
    text = ""
    async for batch in turn.batches(20):
        assert batch, "the turn stands still"
        text += b"".join(encode_sse(chunk) for chunk in batch).decode()
    return Reply(200, text + SSE_DONE.decode())
