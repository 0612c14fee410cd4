"""The ADK plugin in front of every tool. It holds in every mode, for every agent of the app."""

import logging
from secrets import token_hex
from typing import Any
from uuid import uuid4

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol.convert import outcomes
from adk_stream_protocol.convert.calls import NOTES
from adk_stream_protocol.runtime.client_tool import ClientTool, client_tools

logger = logging.getLogger(__name__)


class ApprovalGate(BasePlugin):
    """Keeps the model from making dialogs, denied tools from running, failures from leaking."""

    def __init__(self) -> None:
        super().__init__(name="adk_stream_approval_gate")

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Refuse calls named like ADK's own dialogs: only the server makes those."""
        for part in (llm_response.content and llm_response.content.parts) or []:
            if (call := part.function_call) and (call.name or "").startswith("adk_"):
                logger.warning("the model called %s; refused", call.name)
                call.name = f"refused_{call.name}"
        return None

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        """Note on the event, before it is stored, which calls the browser runs."""
        if event.long_running_tool_ids and not event.partial:
            tools = await client_tools(invocation_context.agent, event.author)
            notes = {
                call.id: _note(tool)
                for call in event.get_function_calls()
                if call.id in event.long_running_tool_ids and (tool := tools.get(call.name or ""))
            }
            if notes:
                event.custom_metadata = {
                    **(event.custom_metadata or {}),
                    NOTES: {"calls": notes},
                }
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """A denied tool is never entered, whatever it would make of the verdict."""
        confirmation = tool_context.tool_confirmation
        if confirmation is None or confirmation.confirmed:
            return None
        payload: Any = confirmation.payload
        return outcomes.denied(payload.get("reason") if isinstance(payload, dict) else None)

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: Exception,
    ) -> dict[str, Any] | None:
        """A tool that raises has a result too: the model and the user are told that it failed."""
        if type(tool) is BaseTool:  # ADK's stand-in for a name it does not know
            return outcomes.unknown_tool(tool.name)
        reference = token_hex(4)
        logger.error("tool %s failed, reference %s", tool.name, reference, exc_info=error)
        return outcomes.failed(tool.name, reference)


def _note(tool: ClientTool) -> dict[str, Any]:
    note: dict[str, Any] = {"browser": True}
    if tool.ttl is not None:
        note["ttl"] = tool.ttl
    if tool.approval:
        note["approvalId"] = f"adk-{uuid4()}"
    return note
