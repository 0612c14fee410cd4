"""DemoTool: one line in the table of `demo/agent.py`."""

from collections.abc import Callable
from dataclasses import dataclass

from google.adk.agents.llm_agent import ToolUnion

from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.demo.phrases.language import Phrases
from adk_stream_protocol.demo.wallet import Wallet


@dataclass(frozen=True)
class DemoTool:
    """A tool of the demo's agent, and all that is said of it."""

    name: str
    make: Callable[[Wallet], ToolUnion]
    """Makes the tool, for the owner of this wallet."""
    purpose: str
    """What the model is told to use it for, after its name."""
    phrases: Phrases
    policy: ApprovalPolicy | None = None
    """How its approval requests look."""
