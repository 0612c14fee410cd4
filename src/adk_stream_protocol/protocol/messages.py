"""Client to server: the request bodies of the AI SDK and of the older envelopes, as they arrive.

Unknown fields and unknown part types are kept out of the way: the SDK adds both often. What we
act on is strict: `approved` is a boolean or the body is malformed.
"""

from typing import Any, TypeVar, cast

import msgspec
from msgspec import UNSET, UnsetType

from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.protocol import strict_json
from adk_stream_protocol.protocol._model import Model

T = TypeVar("T")

_NAMES = ("id", "chatId", "messageId", "toolCallId", "trigger")
ENVELOPES = frozenset({"message", "tool_result", "tool-result", "toolResult"})


class Approval(Model):
    """A person's answer inside a tool part."""

    id: str | None = None
    approved: bool | UnsetType = UNSET
    reason: str | None = None


class Part(Model):
    """Any part of a message; which fields count depends on `type`."""

    type: str
    text: str | None = None
    url: str | None = None
    media_type: str | None = None
    filename: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    state: str | None = None
    input: Any = UNSET
    output: Any = UNSET
    result: Any = UNSET
    error_text: str | None = None
    approval: Approval | None = None


class UIMessage(Model):
    """A message of the posted list. Only the addressed one is read further."""

    role: str
    id: str | None = None
    parts: list[Any] | None = None
    content: str | list[Any] | None = None


class ToolResult(Model):
    """An entry of a root `toolResults` list."""

    id: str
    result: Any


class ChatRequest(Model):
    """One POST body or one envelope, flattened."""

    id: str | None = None
    chat_id: str | None = None
    messages: list[UIMessage] = []
    message: UIMessage | None = None
    trigger: str = "submit-message"
    message_id: str | None = None
    tool_results: list[ToolResult] = []
    tool_call_id: str | None = None
    result: Any = UNSET


def parse_request(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> ChatRequest:
    """Parse a body strictly, or raise BadRequest with the path of the fault."""
    body = strict_json.loads(raw, limits)
    if not isinstance(body, dict):
        raise BadRequest("$: an object is expected")
    return to_request(body, limits)


def to_request(body: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> ChatRequest:
    """Read a body or an envelope that has been parsed."""
    kind, data = body.get("type"), body.get("data")
    if isinstance(kind, str) and kind in ENVELOPES and isinstance(data, dict):
        body = body | data
    check_count(body.get("messages"), limits.messages, "$.messages")
    check_count(body.get("toolResults"), limits.answers, "$.toolResults")
    for name in _NAMES:
        check_length(body.get(name), limits.name, f"$.{name}")
    return _convert(body, ChatRequest, "$")


def check_count(items: object, most: int, path: str) -> None:
    """Raise BadRequest if a list is longer than is expected."""
    if isinstance(items, list) and len(cast(list[Any], items)) > most:
        raise BadRequest(f"{path}: at most {most} are expected")


def check_length(text: object, most: int, path: str) -> None:
    """Raise BadRequest if a text is longer than is expected."""
    if isinstance(text, str) and len(text) > most:
        raise BadRequest(f"{path}: at most {most} characters are expected")


def parse_part(value: Any, path: str) -> Part:
    """A part of the addressed message."""
    return _convert(value, Part, path)


def _convert(value: Any, kind: type[T], path: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text = str(error)
        detail, _, inner = text.partition(" - at `$")
        raise BadRequest(f"{path}{inner.rstrip('`')}: {detail}") from None
