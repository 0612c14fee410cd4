"""What waits for a person, and their decision, outside of the chat it belongs to."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord
from adk_stream_protocol.chats.inbox import Inbox
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import Limits
from adk_stream_protocol.protocol import strict_json
from adk_stream_protocol.transports.admission import (
    GUARDED,
    Admission,
    Endpoint,
    answering_errors,
)


class Verdict(msgspec.Struct):
    """The body of a decision."""

    approved: bool
    reason: str | None = None


def list_endpoint(inbox: Inbox, approvals: ApprovalBook, admission: Admission) -> Endpoint:
    """GET: the requests that wait for the caller."""

    async def endpoint(request: Request) -> Response:
        waiting = await inbox.waiting(await admission.principal(request, "approvals"))
        shown = [_listed(approvals, record) for record in waiting]
        return JSONResponse({"approvals": shown}, headers=GUARDED)

    return answering_errors(endpoint)


def decide_endpoint(inbox: Inbox, admission: Admission) -> Endpoint:
    """POST: yes or no."""

    async def endpoint(request: Request) -> Response:
        who = await admission.principal(request, "decide")
        verdict = _verdict(await admission.body(request), admission.limits)
        approval_id = request.path_params["approval_id"]
        record = await inbox.decide(who, approval_id, verdict.approved, verdict.reason)
        return JSONResponse({"id": record.id, "state": record.state.value}, headers=GUARDED)

    return answering_errors(endpoint)


def _verdict(raw: bytes, limits: Limits) -> Verdict:
    try:
        return msgspec.convert(strict_json.loads(raw, limits), Verdict)
    except msgspec.ValidationError as error:
        raise BadRequest(f"$: {error}") from None


def _listed(approvals: ApprovalBook, record: ApprovalRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "chatId": record.session,
        "askedBy": record.principal,
        "toolCallId": record.call_id,
        **approvals.show(record),
    }
