"""The run that the current task belongs to, and what a tool of the application may ask of it."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from google.adk.events.event import Event
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from adk_stream_protocol.adk.chat_calls import ChatCalls, chat_of
from adk_stream_protocol.approvals import record
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.telemetry.turns import Entered


class Link(Protocol):
    """The run's side of the link to a live model."""

    tells_model: bool
    """Whether the model is told that it need not wait for tools that wait."""
    tools: dict[str, BaseTool]
    """The tools that the model of the moment may call."""
    unsent: list[types.Content]
    """What a broken link could not take any more; the next one brings it."""

    @property
    def message_id(self) -> str:
        """The id of the message that the next event belongs to."""
        ...

    def connected(self, tools: dict[str, BaseTool], *, sends_calls_immediately: bool) -> None: ...

    def withdrawn(self, call_ids: list[str]) -> None: ...

    def fell_silent(self) -> None: ...

    def decided(self, call_id: str, state: State) -> None: ...

    def call_ended(self, call_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the agent: a request's, or the live run behind many turns."""

    chat_id: ChatId
    calls: ChatCalls
    observed: Entered
    put_data: Callable[[str, Any, str | None, bool], None]
    """Sends a data part: its name, data and id, and whether it is transient."""
    link: Link | None = None
    """The link to the model of a live run."""
    stored: Callable[[Event], object] = id
    """Is told of every event that has been stored."""


_current: ContextVar[Run | None] = ContextVar("adk_stream_run", default=None)


def bind_to_task(run: Run) -> None:
    """Let the current task, and the tools it calls, belong to this run."""
    _current.set(run)
    run.observed.enter()


def current_run() -> Run | None:
    """Return the run of the current task; None outside of a chat."""
    return _current.get()


def stream_data(name: str, data: Any, *, id: str | None = None, transient: bool = False) -> None:
    """Send a `data-<name>` part to the chat from inside a tool immediately, say for progress.

    A part with an `id` replaces the one sent before under the same name and id. A transient part
    reaches `onData` only. Outside a turn (a test of the tool alone) nothing happens.
    """
    if run := _current.get():
        run.put_data(name, data, id, transient)


def idempotency_key(tool_context: ToolContext) -> str:
    """Name this call for whoever does the work: the same key however often the call is run."""
    call_id = tool_context.function_call_id or ""
    return record.idempotency_key(chat_of(tool_context.session), call_id)
