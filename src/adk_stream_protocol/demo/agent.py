"""The demo agent: server and browser tools, with and without approval.

A new tool is a file in `demo/tools/` and its name in `TOOLS`.
"""

from textwrap import fill
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm

from adk_stream_protocol.demo.phrases.script import demo_script
from adk_stream_protocol.demo.tools.location import LOCATION
from adk_stream_protocol.demo.tools.music import MUSIC
from adk_stream_protocol.demo.tools.payment import PAYMENT
from adk_stream_protocol.demo.tools.weather import WEATHER
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.testing import ScriptedModel

TOOLS = (WEATHER, PAYMENT, LOCATION, MUSIC)
POLICIES = [tool.policy for tool in TOOLS if tool.policy]
_SCRIPT = demo_script({tool.name: tool.phrases for tool in TOOLS})


def build_agent(*, wallet: Wallet, model: BaseLlm | str | None = None) -> LlmAgent:
    """Build the demo agent; without a model it runs on the scripted one."""
    return LlmAgent(
        name="assistant",
        description="Tells the weather, sends money, finds the user and changes the music.",
        model=scripted_model() if model is None else model,
        instruction=_instruction(),
        tools=[tool.make(wallet) for tool in TOOLS],
    )


def scripted_model(**options: Any) -> ScriptedModel:
    """Make a scripted model that understands the phrases of the demo."""
    return ScriptedModel(script=_SCRIPT, **options)


def _instruction() -> str:
    *others, last = (f"{tool.name} {tool.purpose}" for tool in TOOLS)
    use = f"Use {', '.join(others)}, and {last}. For several payments call process_payment"
    return f"""\
You are a friendly assistant. Answer in the language of the user.
{fill(f"{use} several times at once, unless the user gives an order.", 100)}
After the results say in one sentence what happened. If a call was denied, expired or failed, say so
and do not try it again. If its outcome is unknown, say that it may have happened.
"""
