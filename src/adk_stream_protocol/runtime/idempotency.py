"""The key under which a call takes effect, for a tool to pass on to whoever does the work."""

from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol.approvals import record


def idempotency_key(tool_context: ToolContext) -> str:
    """The same for the same call, however often, wherever and after whatever it is run."""
    session = tool_context.session
    return record.idempotency_key(
        session.app_name, session.user_id, session.id, tool_context.function_call_id or ""
    )
