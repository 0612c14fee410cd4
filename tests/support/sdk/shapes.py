"""The shapes in which clients send a decision, by their numbers in docs/protocol.md."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request for approval: what it is about, and the ids it may be answered by."""

    tool: str
    call_id: str
    approval_id: str


Shape = Callable[[Asked, bool], Json]


def assistant(*parts: Json) -> Json:
    """A body as the SDK posts it after a click."""
    message = {"id": "m1", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}
    return {"messages": [message], "trigger": "submit-message", "messageId": "m1"}


def tool_results(*results: tuple[str, Any]) -> Json:
    """A body with a user message that holds results."""
    content = [{"type": "tool-result", "toolCallId": id, "result": said} for id, said in results]
    return {"messages": [{"role": "user", "content": content}]}


def s2(asked: Asked, yes: bool) -> Json:
    return assistant(
        {
            "type": f"tool-{asked.tool}",
            "toolCallId": asked.call_id,
            "state": "approval-responded",
            "approval": {"id": asked.approval_id, "approved": yes},
        }
    )


def s2_dynamic(asked: Asked, yes: bool) -> Json:
    body = s2(asked, yes)
    body["messages"][0]["parts"][1] |= {"type": "dynamic-tool", "toolName": asked.tool}
    return body


def s5(asked: Asked, yes: bool) -> Json:
    return assistant(
        {
            "type": "tool-adk_request_confirmation",
            "toolCallId": asked.approval_id,
            "state": "output-available",
            "output": {"confirmed": yes},
        }
    )


def s6(asked: Asked, yes: bool) -> Json:
    return assistant(
        {
            "type": "tool-adk_request_confirmation",
            "toolCallId": asked.approval_id,
            "approval": {"approved": yes},
        }
    )


def s7(asked: Asked, yes: bool) -> Json:
    said = {"approved": yes, "user_message": "because"}
    return tool_results((asked.call_id, said))


def s7_by_approval_id(asked: Asked, yes: bool) -> Json:
    return tool_results((asked.approval_id, {"approved": yes}))


def s8_first_half(asked: Asked, yes: bool) -> Json:
    return tool_results((asked.approval_id, {"approval": "approved" if yes else "denied"}))


def s9(asked: Asked, yes: bool, type: str = "tool_result") -> Json:
    data = {"toolCallId": asked.approval_id, "toolName": "any", "result": {"confirmed": yes}}
    return {"type": type, "version": "1.0", "data": data}


def s9_flat(asked: Asked, yes: bool) -> Json:
    body = s9(asked, yes, "tool-result")
    return {"type": body["type"], "version": "1.0", **body["data"]}


def s9_camel(asked: Asked, yes: bool) -> Json:
    return s9(asked, yes, "toolResult")


def s9_by_call_id(asked: Asked, yes: bool) -> Json:
    data = {"toolCallId": asked.call_id, "result": {"confirmed": yes}}
    return {"type": "tool_result", "version": "1.0", "data": data}


def s10(asked: Asked, yes: bool) -> Json:
    return {"type": "message", "version": "1.0", "data": s7(asked, yes)}


def s10_flat(asked: Asked, yes: bool) -> Json:
    return {"type": "message", "version": "1.0", **s2(asked, yes)}


def s10_tool_results(asked: Asked, yes: bool) -> Json:
    results = [{"id": asked.call_id, "result": {"approved": yes}}]
    return {"type": "message", "version": "1.0", "toolResults": results}


DECISIONS: list[Shape] = [
    s2,
    s2_dynamic,
    s5,
    s6,
    s7,
    s7_by_approval_id,
    s8_first_half,
    s9,
    s9_flat,
    s9_camel,
    s9_by_call_id,
    s10,
    s10_flat,
    s10_tool_results,
]
