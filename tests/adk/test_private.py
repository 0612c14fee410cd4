"""What is used of ADK and OpenTelemetry without their promise is there, and means the same.

Each test stands for a function of `adk/private.py` and uses the library's own objects.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps.app import App
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.gemini_llm_connection import GeminiLlmConnection
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.mcp_tool.mcp_session_manager import MCPSessionManager, StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_tool import McpTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from mcp import StdioServerParameters
from mcp.types import Tool
from opentelemetry import metrics, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk import private
from adk_stream_protocol.testing import ScriptedModel
from tests.support.gemini.live_socket_server import GeminiServer, request

NEWER, OLDER = "gemini-3.1-flash-live-preview", "gemini-2.5-flash-native-audio-latest"
CALL = {"toolCall": {"functionCalls": [{"id": "c1", "name": "pay", "args": {}}]}}
TAKEN_BACK = {"toolCallCancellation": {"ids": ["c1"]}}
TURN = {"serverContent": {"modelTurn": {"parts": [{"text": "Hi"}]}, "turnComplete": True}}
HELLO = types.Content(role="user", parts=[types.Part(text="hello")])


@pytest.mark.parametrize(("name", "immediately"), [(NEWER, True), (OLDER, False)])
async def test_sends_calls_immediately(name: str, immediately: bool) -> None:
    """The older model's calls come when its turn ends, which is what the attribute is read for."""
    server = GeminiServer(CALL, TURN)
    async with server.model(name) as model, model.connect(request(model)) as connection:
        assert private.sends_calls_immediately(connection) is immediately
        received = [response async for response in _turn(connection)]
    parts = [part for one in received for part in (one.content and one.content.parts) or []]
    calls_first = ["pay", "Hi"] if immediately else ["Hi", "pay"]
    names = [part.text or (part.function_call and part.function_call.name) for part in parts]
    assert list(dict.fromkeys(names)) == calls_first


async def _turn(connection: BaseLlmConnection) -> AsyncIterator[LlmResponse]:
    async for response in connection.receive():
        yield response
        if response.turn_complete:
            return


async def test_a_connection_that_is_not_geminis_sends_calls_immediately() -> None:
    class Other(BaseLlmConnection):
        pass

    assert private.sends_calls_immediately(Other()) is True


async def test_wrap_messages() -> None:
    """ADK says nothing of a call that the model takes back: only the wrapped messages do."""
    seen: list[types.LiveServerMessage] = []

    async def watch(messages: private.Messages) -> AsyncIterator[types.LiveServerMessage]:
        async for message in messages:
            seen.append(message)
            yield message

    server = GeminiServer(TAKEN_BACK, TURN)
    async with server.model(NEWER) as model, model.connect(request(model)) as connection:
        private.wrap_messages(connection, watch)
        received = [response async for response in _turn(connection)]
    cancelled = [one.tool_call_cancellation for one in seen if one.tool_call_cancellation]
    assert [one.ids for one in cancelled] == [["c1"]]
    assert received and not any("c1" in one.model_dump_json() for one in received)


@pytest.mark.parametrize("partial", [True, False])
async def test_send_content(partial: bool) -> None:
    server = GeminiServer()
    async with server.model(OLDER) as model, model.connect(request(model)) as connection:
        assert isinstance(connection, GeminiLlmConnection)
        await private.send_content(connection, HELLO, partial=partial)
        assert (await server.hear())["client_content"]["turn_complete"] is not partial


def pay(amount: int) -> int:
    return amount


def is_much(amount: int) -> bool:
    return amount > 10


@pytest.mark.parametrize(("setting", "may"), [(True, True), (is_much, True), (False, False)])
def test_may_require_confirmation(setting: Any, may: bool) -> None:
    assert private.may_require_confirmation(FunctionTool(pay, require_confirmation=setting)) is may
    assert private.may_require_confirmation(mcp_tool(setting)) is may


def mcp_tool(setting: Any) -> McpTool:
    nowhere = StdioConnectionParams(server_params=StdioServerParameters(command="none"))
    described = Tool(name="pay", input_schema={"type": "object"})
    return McpTool(
        mcp_tool=described,
        mcp_session_manager=MCPSessionManager(nowhere),
        require_confirmation=setting,
    )


def test_a_tool_that_answers_for_itself_may_require_confirmation() -> None:
    class Careful(BaseTool):
        async def check_require_confirmation(
            self, args: dict[str, Any], tool_context: ToolContext
        ) -> bool:
            return True

    assert private.may_require_confirmation(Careful(name="careful", description="Asks."))
    assert not private.may_require_confirmation(ClientTool("locate", "Where?"))


class Failures(BasePlugin):
    """Notes the tools that failed."""

    def __init__(self) -> None:
        super().__init__("failures")
        self.tools: list[BaseTool] = []

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: Exception,
    ) -> dict[str, Any] | None:
        self.tools.append(tool)
        return {"error": "none"}


async def test_is_stand_in() -> None:
    """ADK gives the callbacks such a tool for a name that is not there."""
    failures, real = Failures(), FunctionTool(pay)
    agent = LlmAgent(name="clerk", model=ScriptedModel(), tools=[real])
    app = App(name="shop", root_agent=agent, plugins=[failures])
    runner = Runner(app=app, session_service=InMemorySessionService(), auto_create_session=True)
    said = types.Content(role="user", parts=[types.Part(text="/call nowhere {}")])
    async for _ in runner.run_async(user_id="u", session_id="s", new_message=said):
        pass
    (missing,) = failures.tools
    assert missing.name == "nowhere" and private.is_stand_in(missing)
    assert not private.is_stand_in(real)


@pytest.mark.parametrize(
    ("module", "getter", "provider"),
    [
        (trace, "get_tracer_provider", TracerProvider),
        (metrics, "get_meter_provider", MeterProvider),
        (private, "get_logger_provider", LoggerProvider),
    ],
    ids=["traces", "metrics", "logs"],
)
def test_has_telemetry(
    monkeypatch: pytest.MonkeyPatch, module: Any, getter: str, provider: Any
) -> None:
    assert private.has_telemetry() is False
    made = provider()
    monkeypatch.setattr(module, getter, lambda: made)
    assert private.has_telemetry() is True


def test_adk_asks_a_tool_for_its_declaration_where_ours_overrides_it() -> None:
    asked = LlmRequest()
    asked.append_tools([ClientTool("locate", "Where?")])
    (tool,) = asked.config.tools or []
    assert isinstance(tool, types.Tool) and tool.function_declarations
    assert [one.name for one in tool.function_declarations] == ["locate"]
