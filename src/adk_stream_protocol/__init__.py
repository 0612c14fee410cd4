"""Google ADK agents behind Vercel AI SDK front ends, with approvals and browser-executed tools."""

from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.mount import mount
from adk_stream_protocol.runtime.chat import Chat
from adk_stream_protocol.runtime.client_tool import ClientTool
from adk_stream_protocol.runtime.current import stream_data
from adk_stream_protocol.runtime.idempotency import idempotency_key
from adk_stream_protocol.runtime.live_settings import LiveOptions
from adk_stream_protocol.runtime.policy import ApprovalPolicy

__all__ = [
    "ApprovalPolicy",
    "Chat",
    "ClientTool",
    "LiveOptions",
    "MemoryApprovalStore",
    "Principal",
    "SqlApprovalStore",
    "StreamProtocolError",
    "idempotency_key",
    "mount",
    "stream_data",
]
