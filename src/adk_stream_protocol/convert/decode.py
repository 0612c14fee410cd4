"""One request to what it means: new user content, or answers to what this server asked.

Only the addressed message is read. All else in the posted list is the client's copy of history and
is ignored: the ADK session has the real one.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from google.genai import types
from msgspec import UNSET

from adk_stream_protocol.convert import media
from adk_stream_protocol.convert.calls import NOTHING
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.protocol.messages import (
    ChatRequest,
    Part,
    UIMessage,
    check_count,
    check_length,
    parse_part,
)

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
    input: Any = NOTHING
    """The arguments that the client shows for the call."""
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


def decode_turn(request: ChatRequest, limits: Limits = DEFAULT_LIMITS) -> TurnInput:
    """Read what the request asks for, or raise BadRequest with the path of the fault."""
    if request.tool_call_id is not None:
        return TurnInput(answers=(_result(request.tool_call_id, request.result, "$.result"),))
    if request.tool_results:
        return TurnInput(answers=tuple(_listed_results(request, limits)))
    message, path = _addressed(request)
    turn = _Message(path, limits).decode(message)
    return _placed(turn, request, message) if turn.content else turn


def _listed_results(request: ChatRequest, limits: Limits) -> Iterator[Answer]:
    for index, entry in enumerate(request.tool_results):
        path = f"$.toolResults[{index}]"
        check_length(entry.id, limits.name, f"{path}.id")
        yield _result(entry.id, entry.result, f"{path}.result")


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


class _Message:
    """Decodes the addressed message."""

    def __init__(self, path: str, limits: Limits) -> None:
        self._path = path
        self._limits = limits

    def decode(self, message: UIMessage) -> TurnInput:
        check_length(message.id, self._limits.name, f"{self._path}.id")
        match message.role:
            case "user":
                return self._decode_user(self._parts(message))
            case "assistant":
                answers = self._echoes(self._parts(message))
                return TurnInput(answers=answers, message_id=message.id)
            case role:
                expected = f"user or assistant is expected, not {role[:64]!r}"
                raise BadRequest(f"{self._path}.role: {expected}")

    def _parts(self, message: UIMessage) -> Iterator[tuple[Part, str]]:
        if message.parts is not None:
            items, path = message.parts, f"{self._path}.parts"
        elif isinstance(message.content, str):
            yield Part(type="text", text=message.content), f"{self._path}.content"
            return
        else:
            items, path = message.content or [], f"{self._path}.content"
        check_count(items, self._limits.parts, path)
        for index, item in enumerate(items):
            place = f"{path}[{index}]"
            yield parse_part(item, place), place

    def _decode_user(self, parts: Iterable[tuple[Part, str]]) -> TurnInput:
        content: list[types.Part] = []
        answers: list[Answer] = []
        files = 0
        for part, place in parts:
            if part.type == "text" and part.text:
                check_length(part.text, self._limits.text, f"{place}.text")
                content.append(types.Part(text=part.text))
            elif part.type == "file":
                files += 1
                if files > self._limits.files:
                    raise BadRequest(f"{place}: at most {self._limits.files} files are expected")
                content.append(media.to_part(part.url or "", part.media_type, place, self._limits))
            elif part.type == "tool-result":
                value = part.output if part.result is UNSET else part.result
                answers.append(_result(self._call_id(part, place), value, f"{place}.result"))
        if bool(content) == bool(answers):
            expected = "either text and files, or answers to tool calls are expected"
            raise BadRequest(f"{self._path}: {expected}")
        if answers:
            check_count(answers, self._limits.answers, self._path)
            return TurnInput(answers=tuple(answers))
        return TurnInput(content=types.Content(role="user", parts=content))

    def _echoes(self, parts: Iterable[tuple[Part, str]]) -> tuple[Answer, ...]:
        answers = tuple(
            self._echo(part, place)
            for part, place in parts
            if (part.type == "dynamic-tool" or part.type.startswith("tool-")) and _is_answer(part)
        )
        if not answers:
            raise BadRequest(f"{self._path}: the message contains no answer")
        return answers

    def _echo(self, part: Part, place: str) -> Answer:
        approval = part.approval
        approved = None if approval is None or approval.approved is UNSET else approval.approved
        ids = [self._call_id(part, place)]
        if approval and approval.id:
            check_length(approval.id, self._limits.name, f"{place}.approval.id")
            ids.append(approval.id)
        return Answer(
            ids=tuple(ids),
            path=place,
            approved=approved,
            reason=approval.reason if approval else None,
            value=_output(part),
            input=part.input,
            error=(part.error_text or "failed") if part.state == "output-error" else None,
            echoed=True,
        )

    def _call_id(self, part: Part, place: str) -> str:
        if not part.tool_call_id:
            raise BadRequest(f"{place}.toolCallId: missing")
        check_length(part.tool_call_id, self._limits.name, f"{place}.toolCallId")
        return part.tool_call_id


def _is_answer(part: Part) -> bool:
    if part.state is None:
        return part.approval is not None
    return part.state in _ANSWERED


def _output(part: Part) -> Any:
    if part.state != "output-available":
        return NOTHING
    return None if part.output is UNSET else part.output
