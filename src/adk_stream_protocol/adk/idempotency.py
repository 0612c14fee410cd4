"""The key under which a call takes effect, for a tool to pass on to whoever does the work."""

from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol.approvals import record
from adk_stream_protocol.chat_id import ChatId


def idempotency_key(tool_context: ToolContext) -> str:
    """The same for the same call, however often, wherever and after whatever it is run."""
    session = tool_context.session
    chat = ChatId(session.app_name, session.user_id, session.id)
    return record.idempotency_key(chat, tool_context.function_call_id or "")
