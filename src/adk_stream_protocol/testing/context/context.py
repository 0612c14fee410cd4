"""The input of the model, read as the message it is about and what was done about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_stream_protocol.testing.context.exchange import Outcome, Reading, read
from adk_stream_protocol.testing.context.quoted import unquote


@dataclass(frozen=True)
class Context:
    """Everything in the model's context."""

    contents: Sequence[types.Content]
    system_instruction: str = ""
    tools: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: LlmRequest) -> "Context":
        """Read the context of one request."""
        return cls(
            contents=tuple(request.contents),
            system_instruction=_plain(request.config.system_instruction),
            tools=tuple(declaration.name or "" for declaration in declarations(request)),
        )

    def message(self) -> str:
        """Return the message that the model is to act on, its text parts on lines of their own.

        It is the newest one, unless the dialogue ends with the result of a call made for an older.
        """
        message = self._reading.exchange.message
        return "" if message is None else _text(message)

    def rounds(self) -> list[list[Outcome]]:
        """Return the calls made about that message: one list per model turn that made any."""
        return self._reading.exchange.outcomes()

    def due(self) -> bool:
        """Return whether it is the model's turn: after a message, or a call's last result."""
        return self._reading.due

    @cached_property
    def _reading(self) -> Reading:
        return read(kept for kept in map(unquote, self.contents) if kept is not None)


def declarations(request: LlmRequest) -> list[types.FunctionDeclaration]:
    """Return the tools that the model is told about."""
    tools = [tool for tool in request.config.tools or [] if isinstance(tool, types.Tool)]
    return [declared for tool in tools for declared in tool.function_declarations or []]


def _text(content: types.Content) -> str:
    return "\n".join(p.text for p in content.parts or [] if p.text and not p.thought)


def _plain(instruction: object) -> str:
    if isinstance(instruction, types.Content):
        return _text(instruction)
    return instruction if isinstance(instruction, str) else ""
