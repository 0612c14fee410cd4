"""What the model is given, read as the user's newest message and what was done about it.

Function call ids are no help here: ADK removes the ones it made from what the model sees. A call
and its result are therefore matched by their names and their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_stream_protocol.testing.quoted import unquote


@dataclass(frozen=True)
class Outcome:
    """One call the model made, and its result if there is one yet."""

    name: str
    args: dict[str, Any]
    response: dict[str, Any] | None


@dataclass(frozen=True)
class Context:
    """Everything in the model's context."""

    contents: Sequence[types.Content]
    system_instruction: str = ""
    tools: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: LlmRequest) -> "Context":
        """The context of one request."""
        tools = [t for t in request.config.tools or [] if isinstance(t, types.Tool)]
        declarations = [d for tool in tools for d in tool.function_declarations or []]
        return cls(
            contents=tuple(request.contents),
            system_instruction=_plain(request.config.system_instruction),
            tools=tuple(d.name or "" for d in declarations),
        )

    def message(self) -> str:
        """The newest message of the user, its text parts on lines of their own."""
        contents = _unquoted(self.contents)
        position = _last_message(contents)
        return "" if position is None else _text(contents[position])

    def rounds(self) -> list[list[Outcome]]:
        """The calls made since that message: one list per model turn that made any."""
        contents = _unquoted(self.contents)
        position = _last_message(contents)
        rounds: list[tuple[list[types.FunctionCall], list[types.FunctionResponse]]] = []
        for content in contents[0 if position is None else position + 1 :]:
            if calls := [p.function_call for p in content.parts or [] if p.function_call]:
                rounds.append((calls, []))
            if rounds:
                rounds[-1][1].extend(_responses(content))
        return [_matched(calls, responses) for calls, responses in rounds]


def _unquoted(contents: Sequence[types.Content]) -> list[types.Content]:
    return [kept for kept in map(unquote, contents) if kept is not None]


def _last_message(contents: Sequence[types.Content]) -> int | None:
    for position in range(len(contents) - 1, -1, -1):
        content = contents[position]
        if content.role == "user" and content.parts and not _responses(content):
            return position
    return None


def _responses(content: types.Content) -> list[types.FunctionResponse]:
    return [p.function_response for p in content.parts or [] if p.function_response]


def _matched(
    calls: list[types.FunctionCall], responses: list[types.FunctionResponse]
) -> list[Outcome]:
    left = list(responses)
    return [Outcome(call.name or "", call.args or {}, _take_response(call, left)) for call in calls]


def _take_response(
    call: types.FunctionCall, left: list[types.FunctionResponse]
) -> dict[str, Any] | None:
    for position, response in enumerate(left):
        ids_allow = not call.id or not response.id or call.id == response.id
        if response.name == call.name and ids_allow:
            return left.pop(position).response or {}
    return None


def _text(content: types.Content) -> str:
    return "\n".join(p.text for p in content.parts or [] if p.text and not p.thought)


def _plain(instruction: object) -> str:
    if isinstance(instruction, types.Content):
        return _text(instruction)
    return instruction if isinstance(instruction, str) else ""
