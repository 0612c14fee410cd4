"""The table of the demo's tools: every line of it is complete, and fits the tool that it makes."""

from pathlib import Path

import pytest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool

from adk_stream_protocol.adk.client_tool import needs_answer
from adk_stream_protocol.demo.agent import POLICIES, TOOLS, build_agent
from adk_stream_protocol.demo.tools.demo_tool import DemoTool
from adk_stream_protocol.demo.wallet import Wallet

every = pytest.mark.parametrize("line", TOOLS, ids=lambda line: line.name)


def made(line: DemoTool, folder: Path) -> BaseTool:
    tool = line.make(Wallet(folder))
    assert callable(tool) or isinstance(tool, BaseTool)
    return tool if isinstance(tool, BaseTool) else FunctionTool(tool)


@every
def test_a_tool_is_called_as_its_line_is(line: DemoTool, tmp_path: Path) -> None:
    assert made(line, tmp_path).name == line.name


@every
def test_a_policy_is_for_its_own_tool_and_only_where_somebody_is_asked(
    line: DemoTool, tmp_path: Path
) -> None:
    if line.policy is not None:
        assert line.policy.tool == line.name and line.policy in POLICIES
        assert needs_answer(made(line, tmp_path))


@every
def test_the_model_is_told_what_it_is_for(line: DemoTool, tmp_path: Path) -> None:
    instruction = str(build_agent(wallet=Wallet(tmp_path)).instruction)
    assert f"{line.name} {line.purpose}" in " ".join(instruction.split())


def test_no_name_is_there_twice(tmp_path: Path) -> None:
    names = [line.name for line in TOOLS]
    assert len(set(names)) == len(names)
    assert len(build_agent(wallet=Wallet(tmp_path)).tools) == len(names)
