"""A client that notes what it got before the connection broke."""

from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.clients.http import Json, RawChat, Reply


class Chat(RawChat):
    """The raw client, without the certificates that httpx would read for every request."""

    def post(self, body: Json) -> Reply:
        return attempt(self, body).reply

    def decide(self, approval_id: str, approved: Any = True) -> int:
        """Decide outside of the chat; the status of the answer."""
        address = f"{self.url}/api/approvals/{approval_id}"
        body = {"approved": approved}
        answer = httpx.post(address, json=body, headers=self.headers, timeout=60, verify=False)
        return answer.status_code

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.user}"} if self.user else {}


@dataclass
class Attempt:
    """One POST to a server that may die. Without a status nothing was acknowledged."""

    status: int | None = None
    text: str = ""
    broken: bool = False

    @property
    def acknowledged(self) -> bool:
        return self.status == 200

    @property
    def reply(self) -> Reply:
        assert self.status is not None and not self.broken
        return Reply(self.status, self.text)


def try_to_answer(chat: Chat, *parts: Json) -> Attempt:
    """Answer as `RawChat.answer` does, and survive the death of the server."""
    message = {"id": "m", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}
    return attempt(chat, {"messages": [message], "messageId": "m"})


def attempt(chat: Chat, body: Json) -> Attempt:
    """Post, and survive the death of the server."""
    result = Attempt()
    address = f"{chat.url}/api/chat{chat.query}"
    body = {"id": chat.id, **body}
    try:
        with (
            httpx.Client(verify=False, timeout=60) as client,
            client.stream("POST", address, json=body, headers=chat.headers) as answer,
        ):
            result.status = answer.status_code
            for piece in answer.iter_text():
                result.text += piece
    except httpx.TransportError:
        result.broken = True
    return result


def outcome(reply: Reply, request: Json) -> Json:
    """The chunk that ends the call of a request."""
    endings = ("tool-output-available", "tool-output-error", "tool-output-denied")
    (chunk,) = [
        chunk
        for chunk in reply.chunks
        if chunk["type"] in endings and chunk["toolCallId"] == request["toolCallId"]
    ]
    return chunk


def told(context: Json, name: str = "process_payment") -> list[Json]:
    """What the model was told of the calls of a tool."""
    parts = [part for content in context["contents"] for part in content["parts"]]
    responses = [part["function_response"] for part in parts if "function_response" in part]
    return [response["response"] for response in responses if response["name"] == name]
