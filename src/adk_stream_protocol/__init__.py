"""Google ADK agents behind Vercel AI SDK front ends, with approvals and browser-executed tools."""

from adk_stream_protocol.adk.client_tool import ClientTool
from adk_stream_protocol.adk.task_context import idempotency_key, stream_data
from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from adk_stream_protocol.approvals.policy import ApprovalPolicy
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.approvals.sql import SqlApprovalStore
from adk_stream_protocol.chats.chats import Chats
from adk_stream_protocol.chats.live.settings import LiveOptions
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.limiter import Limiter, MemoryLimiter, Rate
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.mount import mount

__all__ = [
    "ApprovalPolicy",
    "Chats",
    "ClientTool",
    "Limiter",
    "Limits",
    "LiveOptions",
    "MemoryApprovalStore",
    "MemoryLimiter",
    "Principal",
    "Rate",
    "SqlApprovalStore",
    "StreamProtocolError",
    "idempotency_key",
    "mount",
    "stream_data",
]
