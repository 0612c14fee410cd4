"""Google ADK agents behind Vercel AI SDK front ends, with approvals and browser-executed tools."""

from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.mount import mount
from adk_stream_protocol.runtime.chat import Chat
from adk_stream_protocol.runtime.client_tool import ClientTool
from adk_stream_protocol.runtime.turn import stream_data

__all__ = ["Chat", "ClientTool", "StreamProtocolError", "mount", "stream_data"]
