"""A raw client of the HTTP side: posts bodies, reads the stream, knows no SDK."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

Json = dict[str, Any]


@dataclass
class Reply:
    """The answer to one POST."""

    status: int
    text: str

    @property
    def chunks(self) -> list[Json]:
        """The chunks of a stream that ended as it should."""
        assert self.status == 200, f"{self.status}: {self.text}"
        assert self.text.endswith("data: [DONE]\n\n"), self.text[-200:]
        lines = [line for line in self.text.split("\n\n") if line.startswith("data: {")]
        return [json.loads(line.removeprefix("data: ")) for line in lines]

    @property
    def types(self) -> list[str]:
        return [chunk["type"] for chunk in self.chunks]

    @property
    def said(self) -> str:
        """All text of the answer."""
        return "".join(chunk["delta"] for chunk in self.chunks if chunk["type"] == "text-delta")

    def of_type(self, kind: str) -> list[Json]:
        return [chunk for chunk in self.chunks if chunk["type"] == kind]

    @property
    def calls(self) -> list[str]:
        return [chunk["toolCallId"] for chunk in self.of_type("tool-input-available")]

    @property
    def approvals(self) -> list[Json]:
        return self.of_type("tool-approval-request")


@dataclass
class RawChat:
    """One chat of one user."""

    url: str
    user: str | None = None
    query: str = ""
    id: str = field(default_factory=lambda: uuid4().hex)

    def post(self, body: Json) -> Reply:
        headers = {"authorization": f"Bearer {self.user}"} if self.user else {}
        address = f"{self.url}/api/chat{self.query}"
        answer = httpx.post(
            address,
            json={"id": self.id, **body},
            headers=headers,
            timeout=60,
            verify=False,  # plain HTTP on this machine; loading certificates is half the time
        )
        return Reply(answer.status_code, answer.text)

    def say(self, text: str) -> Reply:
        part = {"type": "text", "text": text}
        return self.post({"messages": [{"id": "u", "role": "user", "parts": [part]}]})

    def answer(self, *parts: Json) -> Reply:
        """Answer in the addressed assistant message, as the SDK does."""
        message = {"id": "m", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}
        return self.post({"messages": [message], "messageId": "m"})

    def context(self) -> Json:
        """What the model sees now."""
        return json.loads(self.say("/echo").said)


def decision(request: Json, approved: object, name: str = "process_payment", **more: Any) -> Json:
    """A tool part that answers an approval request (S2 of docs/protocol.md)."""
    return {
        "type": f"tool-{name}",
        "toolCallId": request["toolCallId"],
        "state": "approval-responded",
        "approval": {"id": request["approvalId"], "approved": approved, **more},
    }


def output(call_id: str, value: Any, name: str, **more: Any) -> Json:
    """A tool part with the result of a browser call (S4 of docs/protocol.md)."""
    return {
        "type": f"tool-{name}",
        "toolCallId": call_id,
        "state": "output-available",
        "output": value,
        **more,
    }
