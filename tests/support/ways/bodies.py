"""Answers as clients send them: the SDK in its copy of the message, older clients as results."""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
NOTHING: Any = object()


@dataclass(frozen=True)
class Asked:
    """One call that waits; without an approval id only for its result."""

    name: str
    call_id: str
    approval_id: str | None = None


@dataclass(frozen=True)
class Answer:
    """What a person or a browser says about a call."""

    asked: Asked
    approved: bool | None = None
    reason: str | None = None
    output: Any = NOTHING
    error: str | None = None


def yes(asked: Asked, **more: Any) -> Answer:
    return Answer(asked, approved=True, **more)


def no(asked: Asked, reason: str | None = None) -> Answer:
    return Answer(asked, approved=False, reason=reason)


def sdk_text(text: str) -> Json:
    return {"messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": text}]}]}


def sdk_answers(message_id: str, style: str, answers: tuple[Answer, ...]) -> Json:
    """The message that asked, with the answers filled in (S2 to S5 of docs/protocol.md)."""
    write = _native if style == "native" else _adk_tool
    parts = [part for answer in answers for part in write(answer)]
    message = {"id": message_id, "role": "assistant", "parts": [{"type": "step-start"}, *parts]}
    return {"messages": [message], "messageId": message_id, "trigger": "submit-message"}


def _native(answer: Answer) -> list[Json]:
    approval: Json = {"id": answer.asked.approval_id, "approved": answer.approved}
    if answer.reason:
        approval["reason"] = answer.reason
    gated = {} if answer.approved is None else {"approval": approval}
    return [_part(answer) | gated]


def _adk_tool(answer: Answer) -> list[Json]:
    parts: list[Json] = []
    if answer.approved is not None:
        said = {"confirmed": answer.approved} | ({"reason": answer.reason} if answer.reason else {})
        dialog = Asked("adk_request_confirmation", answer.asked.approval_id or "")
        parts.append(_part(Answer(dialog, output=said)))
    if answer.output is not NOTHING or answer.error:
        parts.append(_part(answer))
    return parts


def _part(answer: Answer) -> Json:
    part: Json = {"type": f"tool-{answer.asked.name}", "toolCallId": answer.asked.call_id}
    if answer.error:
        return {**part, "state": "output-error", "errorText": answer.error}
    if answer.output is not NOTHING:
        return {**part, "state": "output-available", "output": answer.output}
    return {**part, "state": "approval-responded"}


def envelope_text(text: str) -> Json:
    return envelope("message", {"messages": [{"role": "user", "content": text}]})


def envelope_answers(message_id: str, answers: tuple[Answer, ...]) -> Json:
    """One result alone (S9), or several as a user message (S7, S8)."""
    if any(answer.error for answer in answers):  # only an assistant message can say so (S4)
        return envelope("message", sdk_answers(message_id, "native", answers))
    results = [result for answer in answers for result in _results(answer)]
    if len(results) == 1:
        return envelope("tool_result", results[0])
    content = [{"type": "tool-result", **result} for result in results]
    return envelope("message", {"messages": [{"role": "user", "content": content}]})


def _results(answer: Answer) -> list[Json]:
    results: list[Json] = []
    if answer.approved is not None:
        said: Json = {"confirmed": answer.approved}
        if answer.reason:
            said["user_message"] = answer.reason
        results.append({"toolCallId": answer.asked.approval_id, "result": said})
    if answer.output is not NOTHING:
        results.append({"toolCallId": answer.asked.call_id, "result": answer.output})
    return results


def envelope(type: str, data: Json | None = None, **fields: Any) -> Json:
    return {"type": type, "version": "1.0", **({"data": data} if data else {}), **fields}
