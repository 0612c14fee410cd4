"""Answers of a client: what they lead to, and how that shows in the turn they open."""

import logging
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

from google.adk.workflow import BaseNode
from sqlalchemy.exc import SQLAlchemyError

from adk_stream_protocol.adk.client_tool import ClientTool, tools_of
from adk_stream_protocol.adk.open_turn import History
from adk_stream_protocol.convert.answers import Plan, match_answers
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.errors import Conflict, Unavailable, UnknownId
from adk_stream_protocol.protocol.chunks import AnyChunk

logger = logging.getLogger(__name__)


async def plan_answers(history: History, answers: tuple[Answer, ...], agent: BaseNode) -> Plan:
    """What the answers lead to; a refusal leaves nothing behind."""
    tools = await _client_tools(history.calls.open(), agent)

    def check(call: Call, value: Any) -> str | None:
        tool = tools.get(call.id)
        return tool.check_output(value) if tool else "the tool is no longer there"

    try:
        return match_answers(history.calls, answers, check)
    except UnknownId:
        # Of an earlier turn, perhaps: then the id is known, and the answer is too late.
        match_answers(await history.all_calls(), answers, check)
        raise Conflict("This call is no longer open; the answer has no effect.") from None


async def _client_tools(calls: list[Call], root: BaseNode) -> dict[str, ClientTool]:
    """The tools behind open browser calls, by call id."""
    found: dict[str, ClientTool] = {}
    for call in calls:
        tool = (await tools_of(root, call.author)).get(call.name) if call.browser else None
        if isinstance(tool, ClientTool):
            found[call.id] = tool
    return found


def unfinished_plan(calls: Iterable[Call]) -> Plan:
    """The plan to go on with what was decided elsewhere."""
    return Plan(repeats=[call for call in calls if call.is_unfinished])


def chunks_of(plan: Plan, encoder: TurnEncoder) -> list[AnyChunk]:
    """What the answers themselves change in the message; all else comes from the run."""
    out: list[AnyChunk] = []
    for decision in plan.decisions:
        out += encoder.decided(decision.call, decision.approved)
    for call, response in plan.results:
        call.response = response
    for call in (*plan.unseen, *(call for call, _ in plan.results)):
        out += encoder.settle(call)
    for call in plan.go:
        out += encoder.go(call)
    for call, _ in plan.early:
        out += encoder.ask_again(call)
    return out


def replay_of(plan: Plan, history: History, encoder: TurnEncoder) -> list[AnyChunk]:
    """What these answers led to when they came first."""
    out: list[AnyChunk] = []
    for call in plan.repeats:
        if call.approval_id and call.decision is not None:
            out += encoder.decided(call, call.decision)
    for event in history.answered_events(plan.repeats):
        out += encoder.encode(event)
    return out


@contextmanager
def needing_the_store() -> Generator[None]:
    """A store that fails makes the whole request fail, and nothing is done."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        logger.exception("the session store does not answer")
        raise Unavailable("The store does not answer. Nothing was done.") from error
