"""What the current task runs for: the tools of an application reach their chat through it."""

from contextvars import ContextVar
from typing import Any, Protocol

from adk_stream_protocol.telemetry.turns import Entered


class Running(Protocol):
    """What runs a tool: a turn, or the live run behind many turns."""

    @property
    def chat(self) -> tuple[str, str]: ...

    @property
    def message_id(self) -> str: ...

    @property
    def observed(self) -> Entered: ...

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None: ...


_current: ContextVar[Running | None] = ContextVar("adk_stream_running", default=None)


def enter(running: Running) -> None:
    """Make this what the current task runs for, and the tools it calls."""
    _current.set(running)
    running.observed.enter()


def current_message_id() -> str:
    """The id of the message that this task makes, if it makes one."""
    running = _current.get()
    return running.message_id if running else ""


def current_run() -> Running | None:
    """What this task runs for, if it runs for a chat."""
    return _current.get()


def current_chat() -> tuple[str, str] | None:
    """The user and chat that this task runs for, if it runs for one."""
    running = _current.get()
    return running.chat if running else None


def stream_data(name: str, data: Any, *, id: str | None = None, transient: bool = False) -> None:
    """From inside a tool: send a `data-<name>` part to the chat at once, say for progress.

    A part with an `id` replaces the one sent before under the same name and id. A transient part
    reaches `onData` only. Outside a turn (a test of the tool alone) nothing happens.
    """
    if running := _current.get():
        running.put_data(name, data, id, transient)
