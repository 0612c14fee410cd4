"""The stored side of chats: the messages of one, the list of all, and its deletion."""

from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from adk_stream_protocol.chats.archive import ChatArchive
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.protocol._model import Model
from adk_stream_protocol.protocol.sse import encode_json
from adk_stream_protocol.transports.admission import (
    GUARDED,
    Admission,
    Endpoint,
    answering_errors,
)


class StoredMessage(Model):
    """A UIMessage on its way out."""

    id: str
    role: str
    parts: list[Any]
    metadata: Any = None


def messages_endpoint(conversations: ChatArchive, admission: Admission) -> Endpoint:
    """GET: a chat as the list of UIMessages that `useChat` takes as its `messages`."""

    async def endpoint(request: Request) -> Response:
        who = await admission.principal(request, "messages")
        found = await conversations.messages(who, request.path_params["chat_id"], _style(request))
        body = b",".join(_encode(StoredMessage(**message)) for message in found)
        return Response(b"[%b]" % body, media_type="application/json", headers=GUARDED)

    return answering_errors(endpoint)


def chats_endpoint(conversations: ChatArchive, admission: Admission) -> Endpoint:
    """GET: the chats of the caller, newest first."""

    async def endpoint(request: Request) -> Response:
        who = await admission.principal(request, "chats")
        found = await conversations.chats(who)
        return JSONResponse([asdict(chat) for chat in found], headers=GUARDED)

    return answering_errors(endpoint)


def delete_endpoint(conversations: ChatArchive, admission: Admission) -> Endpoint:
    """DELETE: forget a chat."""

    async def endpoint(request: Request) -> Response:
        who = await admission.principal(request, "delete")
        await conversations.delete(who, request.path_params["chat_id"])
        return Response(status_code=204, headers=GUARDED)

    return answering_errors(endpoint)


def _encode(message: StoredMessage) -> bytes:
    # It takes any Model, and makes of a tool's output what the stream made of it.
    return encode_json(message)  # pyright: ignore[reportArgumentType]


def _style(request: Request) -> ApprovalStyleName:
    name = request.query_params.get("approvals", "native")
    if name == "native" or name == "adk-tool":
        return name
    raise BadRequest("?approvals: native or adk-tool is expected")
