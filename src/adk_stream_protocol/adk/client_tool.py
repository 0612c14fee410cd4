"""ClientTool: an ADK tool that the browser runs. It has a schema and no body."""

from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.llm_agent import LlmAgent
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.adk.workflow import BaseNode
from google.genai import types
from jsonschema import Draft202012Validator, ValidationError

from adk_stream_protocol.adk.private import may_require_confirmation
from adk_stream_protocol.convert.calls import Call


class ClientTool(BaseTool):
    """A tool the browser executes; with `approval=True` a person must allow each call first.

    `parameters` and `output` are JSON Schemas. `ttl` is how long, in seconds, the browser may take
    to answer; without it the chat's `client_tool_ttl` holds.
    """

    def __init__(
        self,
        name: str,
        description: str,
        *,
        parameters: dict[str, Any] | None = None,
        output: dict[str, Any] | None = None,
        approval: bool = False,
        ttl: float | None = None,
    ) -> None:
        super().__init__(name=name, description=description, is_long_running=True)
        self.parameters = parameters or {"type": "object", "properties": {}}
        self.output = output
        self.approval = approval
        self.ttl = ttl
        Draft202012Validator.check_schema(self.parameters)
        self._checker = Draft202012Validator(output if output is not None else True)
        if output is not None:
            Draft202012Validator.check_schema(output)

    def _get_declaration(self) -> types.FunctionDeclaration:
        """Override ADK's own extension point, as its documents ask of a tool with a schema."""
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self.parameters,
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> None:
        """Return nothing: the result comes from the browser, as a function response of its own."""
        return None

    def check_output(self, value: Any) -> str | None:
        """Say what is wrong with a result, with its path, or return None."""
        fault: ValidationError | None = next(iter(self._checker.iter_errors(value)), None)
        return None if fault is None else f"{fault.json_path}: {fault.message}"


def needs_answer(tool: BaseTool) -> bool:
    """Return whether a call of this tool may wait for a person or for the browser."""
    return isinstance(tool, ClientTool) or may_require_confirmation(tool)


async def client_tool_of(call: Call, root: BaseNode) -> ClientTool | None:
    """Find the tool behind a browser call. None if its agent no longer has it."""
    tool = (await tools_of(root, call.author)).get(call.name)
    return tool if isinstance(tool, ClientTool) else None


async def tools_of(node: BaseNode | None, author: str) -> dict[str, BaseTool]:
    """Return the tools of the agent `author` in the tree of `node`, by name."""
    agent = node.root_agent.find_agent(author) if isinstance(node, BaseAgent) else None
    if not isinstance(agent, LlmAgent):
        return {}
    return {tool.name: tool for tool in await agent.canonical_tools()}
