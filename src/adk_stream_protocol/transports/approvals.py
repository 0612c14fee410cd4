"""What waits for a person, and their decision, outside of the chat it belongs to."""

import logging
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.errors import BadRequest, StreamProtocolError, UnknownId
from adk_stream_protocol.protocol import strict_json
from adk_stream_protocol.runtime.chat import Chat
from adk_stream_protocol.transports.http import Door, Endpoint, answering_errors

logger = logging.getLogger(__name__)


class Verdict(msgspec.Struct):
    """The body of a decision."""

    approved: bool
    reason: str | None = None


def list_endpoint(chat: Chat, door: Door) -> Endpoint:
    """GET: the requests that wait for the caller."""

    async def endpoint(request: Request) -> Response:
        who = await door.principal(request)
        waiting = await chat.approvals.store.pending(chat.app_name, who)
        live = [await chat.approvals.expire(record) for record in waiting]
        shown = [_listed(chat, record) for record in live if record.state is State.PENDING]
        return JSONResponse({"approvals": shown})

    return answering_errors(endpoint)


def decide_endpoint(chat: Chat, door: Door) -> Endpoint:
    """POST: yes or no. The chat of the asker goes on when the last step is in."""

    async def endpoint(request: Request) -> Response:
        who = await door.principal(request)
        verdict = _verdict(await door.body(request))
        record = await chat.approvals.store.get(request.path_params["approval_id"])
        if record is None or record.app != chat.app_name or not _concerns(record, who):
            raise UnknownId("There is no such request.")
        # Said before: acknowledged again, and carried on with if a crash cut it off.
        if not record.was_decided(who, verdict.approved):
            record = await chat.approvals.expire(record)
            record = await chat.approvals.decide(record, who, verdict.approved, verdict.reason)
        if record.state is not State.PENDING:
            await _go_on(chat, record)
        return JSONResponse({"id": record.id, "state": record.state.value})

    return answering_errors(endpoint)


async def _go_on(chat: Chat, record: ApprovalRecord) -> None:
    try:
        await chat.go_on(record.principal, record.session)
    except StreamProtocolError:
        # It is decided all the same. The asker's next turn finds the decision in the record.
        logger.exception("approval %s: the chat could not go on", record.id)


def _verdict(raw: bytes) -> Verdict:
    try:
        return msgspec.convert(strict_json.loads(raw), Verdict)
    except msgspec.ValidationError as error:
        raise BadRequest(f"$: {error}") from None


def _concerns(record: ApprovalRecord, who: Principal) -> bool:
    return who.id == record.principal or bool(who.roles & set(record.steps))


def _listed(chat: Chat, record: ApprovalRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "chatId": record.session,
        "askedBy": record.principal,
        "toolCallId": record.call_id,
        **chat.approvals.show(record),
    }
