"""A model for tests and demos: scripted, deterministic, without a key.

It obeys directives in the user's message, and what a `Script` teaches it.
"""

from adk_stream_protocol.testing.context.exchange import Outcome
from adk_stream_protocol.testing.script.actions import Call, Say, Think, say
from adk_stream_protocol.testing.script.script import Script, when
from adk_stream_protocol.testing.scripted_model import ScriptedModel

__all__ = ["Call", "Outcome", "Say", "Script", "ScriptedModel", "Think", "say", "when"]
