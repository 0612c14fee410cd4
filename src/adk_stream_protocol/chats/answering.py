"""Answers of a client: what they lead to, and how that shows in the turn they open."""

from collections.abc import Iterable
from typing import Any

from google.adk.workflow import BaseNode

from adk_stream_protocol.adk.client_tool import ClientTool, tools_of
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.convert.answers import Plan, match_answers
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.errors import Conflict, UnknownId
from adk_stream_protocol.protocol.chunks import AnyChunk


async def plan_answers(opened: OpenTurn, answers: tuple[Answer, ...], agent: BaseNode) -> Plan:
    """Plan what the answers lead to; a refusal leaves nothing behind."""
    tools = await _client_tools(opened.calls.open(), agent)

    def check(call: Call, value: Any) -> str | None:
        tool = tools.get(call.id)
        return tool.check_output(value) if tool else "the tool is no longer there"

    try:
        return match_answers(opened.calls, answers, check)
    except UnknownId:
        # Of an earlier turn, perhaps: then the id is known, and the answer is too late.
        match_answers(await opened.all_calls(), answers, check)
        raise Conflict("This call is no longer open; the answer has no effect.") from None


async def _client_tools(calls: list[Call], root: BaseNode) -> dict[str, ClientTool]:
    """Find the tools behind open browser calls, by call id."""
    found: dict[str, ClientTool] = {}
    for call in calls:
        tool = (await tools_of(root, call.author)).get(call.name) if call.browser else None
        if isinstance(tool, ClientTool):
            found[call.id] = tool
    return found


def unfinished_plan(calls: Iterable[Call]) -> Plan:
    """Plan to go on with what was decided elsewhere."""
    return Plan(repeated=[call for call in calls if call.is_unfinished])


def chunks_of(plan: Plan, encoder: TurnEncoder) -> list[AnyChunk]:
    """Encode what the answers themselves change in the message; all else comes from the run."""
    out: list[AnyChunk] = []
    for decision in plan.decisions:
        out += encoder.decided(decision.call, decision.approved)
    for call, response in plan.results:
        call.response = response
    for call in (*plan.unacknowledged, *(call for call, _ in plan.results)):
        out += encoder.settle(call)
    for call in plan.may_run_in_browser:
        out += encoder.go(call)
    for call, _ in plan.early_results:
        out += encoder.ask_again(call)
    return out


def replay_of(plan: Plan, opened: OpenTurn, encoder: TurnEncoder) -> list[AnyChunk]:
    """Encode what these answers led to when they came first."""
    out: list[AnyChunk] = []
    for call in plan.repeated:
        if call.approval_id and call.decision is not None:
            out += encoder.decided(call, call.decision)
    for event in opened.answered_events(plan.repeated):
        out += encoder.encode(event)
    return out
