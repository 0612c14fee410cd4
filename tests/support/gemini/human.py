"""A person for ADK's own live runs: decides about the calls that need approval."""

import asyncio
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.adk.tools.tool_context import ToolContext


class Human(BasePlugin):
    """Holds a gated call until the scenario decides it."""

    def __init__(self) -> None:
        super().__init__("human")
        self._verdicts: dict[str, asyncio.Future[bool]] = {}

    def decide(self, call_id: str, approved: bool) -> None:
        """Say yes or no, before or after it is asked."""
        self._verdict(call_id).set_result(approved)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        if await tool.check_require_confirmation(tool_args, tool_context):
            verdict = self._verdict(tool_context.function_call_id or "")
            tool_context.tool_confirmation = ToolConfirmation(confirmed=await verdict)

    def _verdict(self, call_id: str) -> asyncio.Future[bool]:
        loop = asyncio.get_running_loop()
        return self._verdicts.setdefault(call_id, loop.create_future())
