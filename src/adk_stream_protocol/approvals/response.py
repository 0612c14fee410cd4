"""The response that a call's record gives the model."""

import json
from typing import Any

from adk_stream_protocol.approvals.record import UNANSWERED, ApprovalRecord, State
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Call


def response_of(record: ApprovalRecord) -> dict[str, Any] | None:
    """Return what a settled call gives the model. None while its record may still change."""
    match record.state:
        case State.DENIED:
            return tool_responses.denied(record.reason)
        case State.EXPIRED:
            return tool_responses.expired()
        case State.CANCELLED | State.LAPSED:
            return tool_responses.cancelled()
        case State.WITHDRAWN:
            return tool_responses.withdrawn()
        case State.UNKNOWN:
            return tool_responses.outcome_unknown()
        case State.DONE | State.FAILED:
            return json.loads(record.result or "{}")
        case _:
            return None


def overlay(call: Call, record: ApprovalRecord) -> None:
    """Let the record say where a call stands, whatever the session says of it."""
    if record.state is State.PENDING:
        call.decision = None
    elif record.state in UNANSWERED or record.state is State.LAPSED:
        call.response = call.response or response_of(record)
    else:
        call.decision = record.state is not State.DENIED
        call.asked_at = record.decided_at or call.asked_at
