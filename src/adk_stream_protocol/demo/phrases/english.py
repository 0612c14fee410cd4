"""The demo model's English sentences, beside the words for single tools."""

from collections.abc import Sequence

GREETING = "Hello! What can I do for you?"
THANKS = "You are welcome!"


def abilities(tools: Sequence[str]) -> str:
    """Return the answer to what is not understood: what the tools can do."""
    *others, last = tools
    return f"I can {', '.join(others)} and {last}."
