"""The demo agent: server and browser tools, with and without approval."""

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm

from adk_stream_protocol.demo.browser_tools import change_bgm, get_location
from adk_stream_protocol.demo.payment_tool import payment_tool
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.demo.weather import get_weather
from adk_stream_protocol.testing import ScriptedModel

_INSTRUCTION = """\
You are a friendly assistant. Answer in the language of the user.
Use get_weather for the weather, process_payment to send money, get_location to find out where the
user is, and change_bgm to change the background music. For several payments call process_payment
several times at once, unless the user gives an order.
After the results say in one sentence what happened. If a call was denied, expired or failed, say so
and do not try it again. If its outcome is unknown, say that it may have happened.
"""


def build_agent(*, wallet: Wallet, model: BaseLlm | str | None = None) -> LlmAgent:
    """The demo agent; without a model it runs on the scripted one."""
    return LlmAgent(
        name="assistant",
        description="Tells the weather, sends money, finds the user and changes the music.",
        model=ScriptedModel() if model is None else model,
        instruction=_INSTRUCTION,
        tools=[get_weather, payment_tool(wallet), get_location(), change_bgm()],
    )
