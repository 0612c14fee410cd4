"""Gated calls and browser calls: what is counted, and the spans of their waits."""

import time
from dataclasses import replace
from typing import Any

import pytest
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.telemetry import calls, instruments
from adk_stream_protocol.telemetry.calls import CallTelemetry, browser_call_ended, gate_span
from tests.support.conversations.conversation import Conversation
from tests.support.listener import Listener
from tests.support.records import entry, record
from tests.support.servers.in_process import clerk
from tests.support.servers.without_network import Served, agent
from tests.support.tills import Till

NOTED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
ALICE = Principal("alice")


def decided(one: ApprovalRecord, approved: bool = True) -> ApprovalRecord:
    return one.decide(ALICE, approved, "what she said", 5.0)


def test_a_wait_is_counted_from_the_question_to_the_answer(listener: Listener) -> None:
    telemetry, one = CallTelemetry(), record()
    with listener.tracer.start_as_current_span("asking") as asking:
        telemetry.created(one, entry(one))
    assert listener.measured("open_approvals") == [({"gen_ai.tool.name": "pay"}, 1)]
    approved = decided(one)
    telemetry.moved(one, approved, replace(entry(approved, "approve"), at=5.0))
    assert listener.measured("open_approvals") == [({"gen_ai.tool.name": "pay"}, 0)]
    ((labels, seconds),) = listener.measured("decision_duration")
    assert (labels["adk_stream.outcome"], seconds) == ("approved", 4.0)
    wait = listener.span("await_approval pay")
    assert wait.parent and wait.parent.span_id == asking.get_span_context().span_id
    assert listener.measured("gated_calls") == []
    assert listener.lines() == ["approval requested", "approval approved"]


@pytest.mark.parametrize("state", [State.DENIED, State.EXPIRED, State.CANCELLED])
def test_a_call_that_is_over_is_counted_once(listener: Listener, state: State) -> None:
    telemetry, one = CallTelemetry(), record()
    telemetry.moved(one, replace(one, state=state), entry(one, "cancel"))
    labels = {"gen_ai.tool.name": "pay", "adk_stream.outcome": state.value}
    assert listener.measured("gated_calls") == [(labels, 1)]


def test_a_wait_ends_no_later_than_its_request_expires(listener: Listener) -> None:
    telemetry, one = CallTelemetry(), record(expires=3.0)
    late = replace(entry(one, "expire"), at=1000.0)
    telemetry.moved(one, replace(one, state=State.EXPIRED), late)
    ((_, seconds),) = listener.measured("decision_duration")
    assert seconds == 2.0


def test_a_step_of_several_ends_no_wait(listener: Listener) -> None:
    telemetry, one = CallTelemetry(), record(steps=("manager", "executive"))
    telemetry.moved(one, replace(one, step=1), entry(one, "approve"))
    assert listener.spans() == [] and listener.measured("decision_duration") == []


def call(**fields: Any) -> Call:
    return Call("c1", "locate", {}, "i", "clerk", time.time(), ["c1"], **fields)


def test_who_did_not_see_the_question_reads_its_span_from_the_session(
    listener: Listener,
) -> None:
    telemetry, one = CallTelemetry(), record()
    telemetry.recall([call(approval_id=one.id, traceparent=NOTED), call(traceparent=NOTED)])
    denied = decided(one, False)
    telemetry.moved(one, denied, entry(denied, "deny"))
    parent = listener.span("await_approval pay").parent
    assert parent and parent.span_id == 0xB7AD6B7169203331


def test_the_oldest_open_requests_are_forgotten(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MAX_ASKED", 1)
    telemetry, first, second = CallTelemetry(), record(), record()
    for one in (first, second):
        telemetry.recall([call(approval_id=one.id, traceparent=NOTED)])
    for one in (first, second):
        telemetry.moved(one, decided(one), entry(one, "approve"))
    assert [span.parent is None for span in listener.spans()] == [True, False]


OUTCOMES: list[tuple[dict[str, Any], str]] = [
    ({"place": "Kyoto"}, "done"),
    ({"error": "no"}, "failed"),
    (tool_responses.expired(), "expired"),
    (tool_responses.cancelled(), "cancelled"),
    (tool_responses.withdrawn(), "withdrawn"),
]


@pytest.mark.parametrize(("response", "outcome"), OUTCOMES)
def test_a_browser_call_that_is_over(
    listener: Listener, response: dict[str, Any], outcome: str
) -> None:
    browser_call_ended("c", call(browser=True, traceparent=NOTED), response)
    labels = {"gen_ai.tool.name": "locate", "adk_stream.outcome": outcome}
    assert listener.measured("browser_call_duration")[0][0] == labels
    assert listener.span("browser_call locate").parent is not None
    assert listener.lines() == [f"browser call {outcome}"]


def test_a_call_that_never_reached_the_browser_is_none_of_its(listener: Listener) -> None:
    browser_call_ended("c", call(), {})
    browser_call_ended("c", call(browser=True, approval_id="a", decision=False), {})
    assert listener.spans() == []


@pytest.mark.parametrize(("approved", "outcome"), [(True, "started"), (False, "stopped")])
async def test_the_gate_has_spans_that_say_whether_it_let_a_call_pass(
    listener: Listener, approved: bool, outcome: str
) -> None:
    served = Served(agent(Till().tool()))
    asked = await served.say('/call pay {"amount": 5}')
    await served.answer(asked.approvals, approved)
    spans = [span for span in listener.spans() if span.name == "approval_gate pay"]
    noted = [(span.attributes or {})[instruments.OUTCOME] for span in spans]
    assert noted == ["asked", outcome]


async def test_a_span_of_the_gate_does_not_hold_what_was_raised(listener: Listener) -> None:
    async def probe(tool_context: ToolContext) -> dict[str, str]:
        """Enter a gate of the test's own."""
        with pytest.raises(ValueError), gate_span(tool, tool_context):
            raise ValueError("the arguments")
        return {}

    tool = FunctionTool(probe)
    await Conversation(clerk(tool)).say("/call probe {}")
    assert list(listener.span("approval_gate probe").events) == []
