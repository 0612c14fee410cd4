"""Decode each of the accepted shapes S1 to S11 of docs/protocol.md to what it means."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from google.genai import types

from adk_stream_protocol.convert.decode import Answer, TurnInput, decode_turn
from adk_stream_protocol.protocol.messages import parse_request

PLACE = {"latitude": 35.68}
HI = TurnInput(content=types.Content(role="user", parts=[types.Part(text="hi")]))
HI_U1 = replace(HI, user_message_id="u1")
USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
AT = "$.messages[0].parts[0]"


def assistant(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"id": "m1", "role": "assistant", "parts": list(parts)}]}


def user(*content: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(content)}]}


def echoed(*ids: str, path: str = AT, **fields: Any) -> TurnInput:
    return TurnInput(answers=(Answer(ids=ids, path=path, echoed=True, **fields),), message_id="m1")


def tool_result(call_id: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool-result", "toolCallId": call_id, "toolName": "t", **fields}


SHAPES: dict[str, tuple[dict[str, Any], TurnInput]] = {
    "S1": ({"id": "c", "messages": [USER], "trigger": "submit-message", "messageId": None}, HI_U1),
    "S1 chatId": ({"chatId": "c", "messages": [USER]}, HI_U1),
    "S1 message": ({"id": "c", "message": USER}, HI_U1),
    "S2 yes": (
        assistant(
            {
                "type": "tool-pay",
                "toolCallId": "c1",
                "state": "approval-responded",
                "input": {},
                "approval": {"id": "a1", "approved": True},
            }
        ),
        echoed("c1", "a1", approved=True, input={}),
    ),
    "S2 no": (
        assistant(
            {
                "type": "tool-pay",
                "toolCallId": "c1",
                "state": "approval-responded",
                "approval": {"id": "a1", "approved": False, "reason": "too much"},
            }
        ),
        echoed("c1", "a1", approved=False, reason="too much"),
    ),
    "S3": (
        assistant(
            {
                "type": "tool-locate",
                "toolCallId": "b1",
                "state": "output-available",
                "output": PLACE,
                "approval": {"id": "a1", "approved": True},
            }
        ),
        echoed("b1", "a1", approved=True, value=PLACE),
    ),
    "S4 output": (
        assistant(
            {
                "type": "tool-locate",
                "toolCallId": "b1",
                "state": "output-available",
                "output": PLACE,
            }
        ),
        echoed("b1", value=PLACE),
    ),
    "S4 output left out": (
        assistant({"type": "tool-locate", "toolCallId": "b1", "state": "output-available"}),
        echoed("b1", value=None),
    ),
    "S4 error": (
        assistant(
            {
                "type": "tool-locate",
                "toolCallId": "b1",
                "state": "output-error",
                "errorText": "no GPS",
            }
        ),
        echoed("b1", error="no GPS"),
    ),
    "S4 error without text": (
        assistant({"type": "tool-locate", "toolCallId": "b1", "state": "output-error"}),
        echoed("b1", error="failed"),
    ),
    "S5": (
        assistant(
            {
                "type": "tool-adk_request_confirmation",
                "toolCallId": "a1",
                "state": "output-available",
                "output": {"confirmed": True},
            }
        ),
        echoed("a1", value={"confirmed": True}),
    ),
    "S6": (
        assistant(
            {
                "type": "tool-adk_request_confirmation",
                "toolCallId": "a1",
                "approval": {"approved": False},
            }
        ),
        echoed("a1", approved=False),
    ),
    "S7": (
        user(tool_result("c1", result={"approved": True, "user_message": "ok"})),
        TurnInput(
            answers=(
                Answer(
                    ids=("c1",),
                    path="$.messages[0].content[0].result",
                    value={"approved": True, "user_message": "ok"},
                ),
            )
        ),
    ),
    "S7 output": (
        user(tool_result("c1", output=None)),
        TurnInput(
            answers=(Answer(ids=("c1",), path="$.messages[0].content[0].result", value=None),)
        ),
    ),
    "S8": (
        user(tool_result("a1", result={"approval": "approved"}), tool_result("b1", result=PLACE)),
        TurnInput(
            answers=(
                Answer(
                    ids=("a1",),
                    path="$.messages[0].content[0].result",
                    value={"approval": "approved"},
                ),
                Answer(ids=("b1",), path="$.messages[0].content[1].result", value=PLACE),
            )
        ),
    ),
    "S10 toolResults": (
        {"toolResults": [{"id": "c1", "result": 1}, {"id": "b1", "result": None}]},
        TurnInput(
            answers=(
                Answer(ids=("c1",), path="$.toolResults[0].result", value=1),
                Answer(ids=("b1",), path="$.toolResults[1].result", value=None),
            )
        ),
    ),
    "S10": ({"type": "message", "version": "1.0", "data": {"messages": [USER]}}, HI_U1),
    "S10 flat": ({"type": "message", "version": "1.0", "messages": [USER]}, HI_U1),
    "S10 no results": ({"messages": [USER], "toolResults": []}, HI_U1),
    "S11 string": ({"messages": [{"role": "user", "content": "hi"}]}, HI),
    "S11 content": (user({"type": "text", "text": "hi"}), HI),
    "S11 dynamic-tool": (
        assistant(
            {
                "type": "dynamic-tool",
                "toolName": "locate",
                "toolCallId": "b1",
                "state": "output-available",
                "output": PLACE,
            }
        ),
        echoed("b1", value=PLACE),
    ),
}


def decode(body: Any) -> TurnInput:
    return decode_turn(parse_request(msgspec.json.encode(body)))


@pytest.mark.parametrize(("body", "turn"), SHAPES.values(), ids=SHAPES.keys())
def test_a_shape_means_what_it_should(body: dict[str, Any], turn: TurnInput) -> None:
    assert decode(body) == turn


@pytest.mark.parametrize("kind", ["tool_result", "tool-result", "toolResult"])
@pytest.mark.parametrize("flat", [True, False])
def test_a_tool_result_envelope_is_an_answer(kind: str, flat: bool) -> None:
    data = {"toolCallId": "a1", "toolName": "x", "result": {"confirmed": True}}
    body = {"type": kind, "version": "1.0", **(data if flat else {"data": data})}
    answer = Answer(ids=("a1",), path="$.result", value={"confirmed": True})
    assert decode(body) == TurnInput(answers=(answer,))
