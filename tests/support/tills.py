"""Tools that take money, and note what they were paid."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.adk.tools.tool_context import ToolContext
from mcp import StdioServerParameters

from adk_stream_protocol import idempotency_key
from adk_stream_protocol.testing import ScriptedModel
from tests.support.clients.http import Reply
from tests.support.servers import mcp_till


class Till:
    """A tool that counts. `open` lets it finish, `entered` says that it has begun."""

    def __init__(self) -> None:
        self.paid: list[float] = []
        self.keys: list[str] = []
        self.entered = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    def tool(self, require_confirmation: object = True) -> FunctionTool:
        async def pay(amount: float, tool_context: ToolContext) -> dict[str, float]:
            """Pay."""
            self.entered.set()
            await self.open.wait()
            self.paid.append(amount)
            self.keys.append(idempotency_key(tool_context))
            return {"paid": amount}

        # To ADK's types a predicate says yes or no; tests try others as well.
        require = cast(Callable[..., bool], require_confirmation)
        return FunctionTool(pay, require_confirmation=require)


def answers(value: object) -> Callable[..., object]:
    """A predicate; one that answers an exception raises it."""

    def predicate(amount: float, tool_context: ToolContext) -> object:
        if isinstance(value, Exception):
            raise value
        return value

    return predicate


class McpTill:
    """An agent with the tools of an MCP server, and the server's book."""

    def __init__(self, toolset: McpToolset, book: Path) -> None:
        self.toolset = toolset
        self._book = book

    @property
    def paid(self) -> list[int]:
        return [int(line) for line in self._book.read_text().split()]

    def agent(self, name: str = "clerk", **fields: Any) -> LlmAgent:
        return LlmAgent(name=name, model=ScriptedModel(), tools=[self.toolset], **fields)


@asynccontextmanager
async def mcp_till_at(folder: Path, require: Any = True) -> AsyncGenerator[McpTill]:
    """A till with its server; the server ends with the block."""
    book = folder / "book"
    book.touch()
    script = str(Path(mcp_till.__file__))
    server = StdioServerParameters(command=sys.executable, args=[script, str(book)])
    toolset = McpToolset(
        connection_params=StdioConnectionParams(server_params=server, timeout=60),
        require_confirmation=require,
    )
    try:
        yield McpTill(toolset, book)
    finally:
        await toolset.close()


def outputs(reply: Reply) -> str:
    """What became of the calls of a reply, as text."""
    kinds = ("tool-output-available", "tool-output-error", "tool-output-denied")
    return str([chunk for chunk in reply.chunks if chunk["type"] in kinds])
