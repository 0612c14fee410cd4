"""Names and habits of other libraries that they do not promise: underscored names of google-adk
and OpenTelemetry, and habits of ADK that its documentation does not mention.

One function each, with the version it was seen in and why there is no public way. Each has a test
in `tests/adk/test_private.py` that fails when the library moves. No other file may use such names
(`tests/test_layers.py`). Two methods with an underscore are overridden elsewhere, because ADK means
them to be: `BaseTool._get_declaration` and `BaseLlmConnection._send_content`.
"""

from collections.abc import AsyncIterator, Callable
from typing import Any

from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.tools.base_tool import BaseTool
from google.genai import types
from opentelemetry import metrics, trace
from opentelemetry._logs import get_logger_provider

Messages = AsyncIterator[types.LiveServerMessage]


def sends_calls_immediately(connection: BaseLlmConnection) -> bool:
    """Return whether ADK passes a call on when it comes, and not only when the model's turn ends.

    google-adk 2.13: `GeminiLlmConnection._is_gemini_3_x_live`, from the name of the model that the
    server has chosen. No public way: the connection decides on it and tells nobody. A connection
    that is not Gemini's has no such attribute, and no such habit.
    """
    return bool(getattr(connection, "_is_gemini_3_x_live", True))


def wrap_messages(connection: BaseLlmConnection, wrap: Callable[[Messages], Messages]) -> None:
    """Pass every message of the model through `wrap` before ADK reads it.

    google-adk 2.13: `GeminiLlmConnection._gemini_session`, google-genai's `AsyncSession`, whose
    `receive` is replaced. No public way: ADK makes the session itself and drops what it does not
    know, so nothing that it yields says that the model took a call back or fell silent. A
    connection that is not Gemini's is left as it is.
    """
    session: Any = getattr(connection, "_gemini_session", None)
    if session is not None:
        receive: Callable[[], Messages] = session.receive
        session.receive = lambda: wrap(receive())


async def send_content(
    connection: BaseLlmConnection, content: types.Content, *, partial: bool
) -> None:
    """Send content; a partial one does not end the user's turn.

    google-adk 2.13: `BaseLlmConnection._send_content`, which ADK's live flow calls. No public way:
    `send_content` has no `partial`, which ADK uses for the results of streaming tools.
    """
    unchecked: Any = connection
    await unchecked._send_content(content, partial=partial)


def may_require_confirmation(tool: BaseTool) -> bool:
    """Return whether some call of a tool could need confirmation.

    google-adk 2.13: `_require_confirmation` of `FunctionTool` and `McpTool`: a flag, or a function
    that decides for each call. No public way: `check_require_confirmation` answers for one call
    with its arguments and context. A tool that answers it in a way of its own may say yes.
    """
    if type(tool).check_require_confirmation is BaseTool.check_require_confirmation:
        return False
    return bool(getattr(tool, "_require_confirmation", True))


def is_stand_in(tool: BaseTool) -> bool:
    """Return whether ADK put this in the place of a tool that it does not know.

    google-adk 2.13: a plain `BaseTool`, made for the callbacks when the model calls a name that is
    not there. No public way: the error that follows is a ValueError with a sentence. An
    application's tools derive from `BaseTool`; a plain one cannot be run.
    """
    return type(tool) is BaseTool


def has_telemetry() -> bool:
    """Return whether anybody has set up OpenTelemetry for traces, metrics or logs.

    opentelemetry-api 1.44: until then each provider is a stand-in whose class is called
    `ProxyTracerProvider`, `_ProxyMeterProvider` or `ProxyLoggerProvider`; the second one and the
    API of logs are private. No public way: nothing asks without setting one up. The names are
    compared, not the classes: after a renaming telemetry is on, and no import fails.
    """
    providers = (trace.get_tracer_provider(), metrics.get_meter_provider(), get_logger_provider())
    return any("Proxy" not in type(provider).__name__ for provider in providers)
