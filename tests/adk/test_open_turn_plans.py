"""Answers of a client: the plan they lead to, and how it shows in the turn that they open."""

from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.errors import BadRequest, Conflict, UnknownId
from adk_stream_protocol.protocol.chunks import AnyChunk
from tests.support.desk import Desk, as_json, kinds, result, said, verdict

LOCATE = ClientTool("locate", "Where?", output={"type": "object", "required": ["lat"]})
LOOK = ClientTool("look", "See.", approval=True)


class KnownChat:
    """As far as a session reader needs one."""

    def __init__(self) -> None:
        self.id = ChatId("clerk", "alice", "c")
        self.calls = ChatCalls()


def pay(amount: int) -> dict[str, int]:
    """Pay."""
    return {"paid": amount}


def desk_of(*tools: Any) -> Desk:
    return Desk(*(tools or (FunctionTool(pay, require_confirmation=True), LOCATE, LOOK)))


async def opened(desk: Desk) -> OpenTurn:
    found = await desk.reader.read(KnownChat())
    assert found is not None
    return found


def agent_of(desk: Desk) -> LlmAgent:
    assert isinstance(desk.runner.agent, LlmAgent)
    return desk.runner.agent


def without_deltas(chunks: list[AnyChunk]) -> list[str]:
    return [kind for kind in kinds(chunks) if kind != "text-delta"]


async def plan(desk: Desk, *answers: Answer) -> Plan:
    return await (await opened(desk)).plan(answers, agent_of(desk))


async def call_id(desk: Desk, name: str) -> str:
    (found,) = [call.id for call in (await opened(desk)).calls.by_id.values() if call.name == name]
    return found


async def test_a_verdict_becomes_a_decision_and_changes_nothing() -> None:
    desk = desk_of()
    await desk.say('/call pay {"amount": 5}')
    made = await plan(desk, verdict(await desk.record()))
    (decision,) = made.decisions
    assert decision.call.name == "pay" and decision.approved
    assert await desk.states() == ["pending"]


@pytest.mark.parametrize("value", [{"lat": 1}, {"lat": 1, "lon": 2}])
async def test_a_browsers_result_is_checked_with_the_schema_of_its_tool(value: Any) -> None:
    desk = desk_of()
    await desk.say("/call locate {}")
    made = await plan(desk, result(await call_id(desk, "locate"), value))
    assert [(call.name, response) for call, response in made.results] == [("locate", value)]
    with pytest.raises(BadRequest, match="'lat' is a required property"):
        await plan(desk, result(await call_id(desk, "locate"), {"lon": 1}))


async def test_the_result_of_a_tool_that_is_no_longer_there_is_refused() -> None:
    desk = desk_of(LOCATE)
    await desk.say("/call locate {}")
    agent_of(desk).tools.clear()
    with pytest.raises(BadRequest, match="the tool is no longer there"):
        await plan(desk, result(await call_id(desk, "locate"), {"lat": 1}))


async def test_an_answer_to_nothing_is_unknown() -> None:
    desk = desk_of()
    await desk.say("hello")
    with pytest.raises(UnknownId):
        await plan(desk, result("nobody's", {}))


async def test_an_answer_to_an_earlier_turn_is_too_late() -> None:
    desk = desk_of()
    await desk.say("/call locate {}")
    asked = await call_id(desk, "locate")
    await desk.say("hello")
    with pytest.raises(Conflict, match="already has a result"):
        await plan(desk, result(asked, {"lat": 1}))
    with pytest.raises(Conflict, match="no longer open"):
        await plan(desk, Answer((asked,), "$", error="no signal"))


def call(name: str, **fields: Any) -> Call:
    return Call(name, name, {}, "i", "clerk", 1.0, [name], **fields)


def test_only_what_is_decided_and_has_no_result_is_gone_on_with() -> None:
    calls = [
        call("decided", decision=True),
        call("denied", decision=False),
        call("done", decision=True, response={"paid": 5}),
        call("waits", approval_id="a"),
        call("browser", browser=True, decision=True),
    ]
    assert [one.id for one in Plan.of_unfinished(calls).repeated] == ["decided", "denied"]


async def test_the_answers_themselves_show_in_their_order() -> None:
    desk = desk_of()
    await desk.say('/call pay {"amount": 5}\n/call locate {}\n/call look {}')
    turn = await opened(desk)
    answers = (
        Answer((await call_id(desk, "pay"),), "$", approved=False, reason="too dear"),
        result(await call_id(desk, "locate"), {"lat": 1}),
        Answer((await call_id(desk, "look"),), "$", approved=True),
    )
    made = await turn.plan(answers, agent_of(desk))
    encoder = TurnEncoder("m", calls=turn.calls)
    encoder.start()
    # The denial comes with the run; the browser hears that its result is in, and what it may run.
    shown = [(one["type"], one["toolCallId"]) for one in map(as_json, encoder.answers(made))]
    assert shown == [
        ("tool-output-available", await call_id(desk, "locate")),
        ("tool-input-available", await call_id(desk, "look")),
    ]
    assert turn.calls.by_id[await call_id(desk, "locate")].response == {"lat": 1}


async def test_an_early_result_is_kept_and_asked_about_again() -> None:
    desk = desk_of()
    await desk.say("/call look {}")
    turn = await opened(desk)
    made = await turn.plan((result(await call_id(desk, "look"), 7),), agent_of(desk))
    assert [value for _, value in made.early_results] == [7]
    encoder = TurnEncoder("m", calls=turn.calls)
    encoder.start()
    shown = kinds(encoder.answers(made))
    assert shown == ["tool-input-available", "tool-approval-request", "data-approval"]


async def test_a_repeat_is_answered_with_what_it_led_to() -> None:
    desk = desk_of()
    await desk.say('/call pay {"amount": 5}')
    record = await desk.record()
    first = await desk.answer(verdict(record))
    turn = await opened(desk)
    made = await turn.plan((verdict(record),), agent_of(desk))
    assert made.is_replay
    encoder = TurnEncoder("m", calls=turn.calls_before(made.repeated))
    replayed = encoder.replay(made, turn.answered_events(made.repeated))
    again = [*encoder.start(), *replayed, *encoder.finish()]
    assert said(again) == said(first) == 'The call of pay returned {"paid": 5}.'
    assert without_deltas(again) == without_deltas(first)
