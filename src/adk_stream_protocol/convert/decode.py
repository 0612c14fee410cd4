"""One request to what it means: new user content, or answers to what this server asked.

Only the addressed message is read. All else in the posted list is the client's copy of history and
is ignored: the ADK session has the real one.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from google.genai import types
from msgspec import UNSET

from adk_stream_protocol.convert import media
from adk_stream_protocol.convert.calls import NOTHING
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.protocol.messages import ChatRequest, Part, UIMessage, parse_part

_CHAT_ID = re.compile(r"(?!\s)[^\x00-\x1f\x7f]{1,128}(?<!\s)")
_ANSWERED = {"approval-responded", "output-available", "output-error"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A client's claim about one call. Nothing in it is believed before it is matched."""

    ids: tuple[str, ...]
    path: str
    approved: bool | None = None
    reason: str | None = None
    value: Any = NOTHING
    error: str | None = None
    echoed: bool = False
    """It stands in the client's copy of a message, where answers consumed long ago stand too."""


@dataclass(frozen=True, slots=True)
class TurnInput:
    """One user action: either `content` or `answers`."""

    content: types.Content | None = None
    answers: tuple[Answer, ...] = ()
    message_id: str | None = None
    """The assistant message that the answers belong to and that the turn goes on with."""
    user_message_id: str | None = None
    """The id that the client gave to its new message."""
    rewind_before: tuple[str, ...] | None = None
    """Rewind to before the first of these message ids that is stored. Empty: before the last user
    message. None: no rewind."""
    is_regenerate: bool = False
    """The content of the stored message is repeated, in place of the one here."""


def chat_id_of(request: ChatRequest, default: str) -> str:
    """Return the id of the chat that a request names."""
    return checked_chat_id(request.id or request.chat_id or default)


def checked_chat_id(chat_id: str) -> str:
    """Return the chat id if it can be one; raise BadRequest if not."""
    if not _CHAT_ID.fullmatch(chat_id):
        raise BadRequest("$.id: 1 to 128 printable characters are expected")
    return chat_id


def decode_turn(request: ChatRequest) -> TurnInput:
    """Read what the request asks for, or raise BadRequest with the path of the fault."""
    if request.tool_call_id is not None:
        return TurnInput(answers=(_result(request.tool_call_id, request.result, "$.result"),))
    if request.tool_results:
        return TurnInput(
            answers=tuple(
                _result(entry.id, entry.result, f"$.toolResults[{index}].result")
                for index, entry in enumerate(request.tool_results)
            )
        )
    message, path = _addressed(request)
    turn = _decode_message(message, path)
    return _placed(turn, request, message) if turn.content else turn


def _placed(turn: TurnInput, request: ChatRequest, message: UIMessage) -> TurnInput:
    """Add where a user message belongs: at the end, or in the place of an older one."""
    user_message_id = message.id if message.id and _CHAT_ID.fullmatch(message.id) else None
    is_regenerate = request.trigger == "regenerate-message"
    is_edit = user_message_id is not None and request.message_id == user_message_id
    names = (request.message_id, user_message_id) if is_regenerate else (user_message_id,)
    rewind_before = tuple(filter(None, names)) if is_regenerate or is_edit else None
    return replace(
        turn,
        user_message_id=user_message_id,
        rewind_before=rewind_before,
        is_regenerate=is_regenerate,
    )


def _result(call_id: str, value: Any, path: str) -> Answer:
    if value is UNSET:
        raise BadRequest(f"{path}: missing")
    return Answer(ids=(call_id,), path=path, value=value)


def _addressed(request: ChatRequest) -> tuple[UIMessage, str]:
    """Find the message a request is about: the named assistant message, else the last one."""
    if request.message:
        return request.message, "$.message"
    # The newest first: a client sends all of a long conversation each time.
    for index in range(len(request.messages) - 1, -1, -1) if request.message_id else ():
        message = request.messages[index]
        if message.id == request.message_id and message.role == "assistant":
            return message, f"$.messages[{index}]"
    if not request.messages:
        raise BadRequest("$.messages: at least one message is expected")
    return request.messages[-1], f"$.messages[{len(request.messages) - 1}]"


def _decode_message(message: UIMessage, path: str) -> TurnInput:
    parts = _parts(message, path)
    match message.role:
        case "user":
            return _decode_user(parts, path)
        case "assistant":
            return TurnInput(answers=_echoes(parts, path), message_id=message.id)
        case role:
            raise BadRequest(f"{path}.role: user or assistant is expected, not {role!r}")


def _parts(message: UIMessage, path: str) -> list[tuple[Part, str]]:
    if message.parts is not None:
        items, path = message.parts, f"{path}.parts"
    elif isinstance(message.content, str):
        return [(Part(type="text", text=message.content), f"{path}.content")]
    else:
        items, path = message.content or [], f"{path}.content"
    places = [f"{path}[{index}]" for index in range(len(items))]
    return [(parse_part(item, place), place) for item, place in zip(items, places, strict=True)]


def _decode_user(parts: list[tuple[Part, str]], path: str) -> TurnInput:
    content: list[types.Part] = []
    answers: list[Answer] = []
    for part, place in parts:
        if part.type == "text" and part.text:
            content.append(types.Part(text=part.text))
        elif part.type == "file":
            content.append(media.to_part(part.url or "", part.media_type, place))
        elif part.type == "tool-result":
            value = part.output if part.result is UNSET else part.result
            answers.append(_result(_call_id(part, place), value, f"{place}.result"))
    if bool(content) == bool(answers):
        raise BadRequest(f"{path}: either text and files, or answers to tool calls are expected")
    if answers:
        return TurnInput(answers=tuple(answers))
    return TurnInput(content=types.Content(role="user", parts=content))


def _echoes(parts: list[tuple[Part, str]], path: str) -> tuple[Answer, ...]:
    answers = tuple(
        _echo(part, place)
        for part, place in parts
        if (part.type == "dynamic-tool" or part.type.startswith("tool-")) and _is_answer(part)
    )
    if not answers:
        raise BadRequest(f"{path}: the message contains no answer")
    return answers


def _is_answer(part: Part) -> bool:
    if part.state is None:
        return part.approval is not None
    return part.state in _ANSWERED


def _echo(part: Part, place: str) -> Answer:
    approval = part.approval
    approved = None if approval is None or approval.approved is UNSET else approval.approved
    ids = (_call_id(part, place), *([approval.id] if approval and approval.id else []))
    return Answer(
        ids=ids,
        path=place,
        approved=approved,
        reason=approval.reason if approval else None,
        value=_output(part),
        error=(part.error_text or "failed") if part.state == "output-error" else None,
        echoed=True,
    )


def _output(part: Part) -> Any:
    if part.state != "output-available":
        return NOTHING
    return None if part.output is UNSET else part.output


def _call_id(part: Part, place: str) -> str:
    if not part.tool_call_id:
        raise BadRequest(f"{place}.toolCallId: missing")
    return part.tool_call_id
