"""The key of a call: the same however often it is run, and another for every other call."""

from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol import idempotency_key
from tests.support.conversations.conversation import Conversation
from tests.support.servers.in_process import clerk


async def test_a_call_has_one_key_and_every_call_its_own() -> None:
    keys: list[tuple[str, str]] = []

    def pay(tool_context: ToolContext) -> None:
        """Pay."""
        keys.append((idempotency_key(tool_context), idempotency_key(tool_context)))

    chat = Conversation(clerk(pay))
    await chat.say("/call pay {}")
    await chat.say("/call pay {}")
    (first, again), (second, _) = keys
    assert first == again != second
    assert len(first) == 64 and first.isascii()
