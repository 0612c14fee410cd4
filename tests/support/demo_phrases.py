"""What the scripted model of the demo does with a message, and what it says of results."""

from typing import Any

from google.genai import types

from adk_stream_protocol.demo.agent import scripted_model
from adk_stream_protocol.testing import Outcome, Say
from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.script.actions import Turn

_SCRIPT = scripted_model().script


def understand(message: str) -> Turn:
    """The model's first turn."""
    content = types.Content(role="user", parts=[types.Part(text=message)])
    return _SCRIPT.next_turn(Context([content]))


def words(message: str) -> str:
    """The text that answers a message."""
    (said,) = understand(message)
    assert isinstance(said, Say) and len(said.deltas) > 1
    return "".join(said.deltas)


def reports(*outcomes: Outcome) -> tuple[str, str]:
    """What the model says after these results, in English and in Japanese."""
    return _SCRIPT.report("Hello", outcomes), _SCRIPT.report("こんにちは", outcomes)


def report(name: str, args: dict[str, Any], response: dict[str, Any] | None) -> tuple[str, str]:
    """The same for one call."""
    return reports(Outcome(name, args, response))
