"""A client without an SDK: one body in, the chunks or the refusal out."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.sdk.context import ModelContext
from tests.support.sdk.judge import Judge

Json = dict[str, Any]
Exchange = Callable[[Json, dict[str, str]], "Reply"]
"""Send a body with a query to the server."""


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    code: str
    chunks: list[Json] = field(default_factory=list[Json])

    @property
    def types(self) -> list[str]:
        """The chunk types, a run of deltas as one."""
        types = [chunk["type"] for chunk in self.chunks]
        return [t for t, before in zip(types, [None, *types], strict=False) if t != before]

    @property
    def text(self) -> str:
        return "".join(c["delta"] for c in self.chunks if c["type"] == "text-delta")

    @property
    def message_id(self) -> str | None:
        return self.chunks[0].get("messageId")

    def of(self, type: str) -> list[Json]:
        """The chunks of that type."""
        return [chunk for chunk in self.chunks if chunk["type"] == type]

    def one(self, type: str) -> Json:
        """The only chunk of that type."""
        (chunk,) = self.of(type)
        return chunk


class RawChat:
    """One chat. Every reply goes before the schemas of all SDKs."""

    def __init__(self, exchange: Exchange, judge: Judge, id: str, *, approvals: str) -> None:
        self._exchange = exchange
        self._judge = judge
        self.id = id
        self._approvals = approvals

    def post(self, **body: Any) -> Reply:
        """Send a body to this chat."""
        return self.post_as_it_is({"id": self.id, **body})

    def post_as_it_is(self, body: Json, **query: str) -> Reply:
        """Send a body that may name its chat in another way."""
        reply = self._exchange(body, {"approvals": self._approvals, **query})
        assert self._judge.ask(do="schema", chunks=reply.chunks)["faults"] == []
        return reply

    def say(self, text: str) -> Reply:
        """Send a message of the user's."""
        return self.post(messages=[{"role": "user", "parts": [{"type": "text", "text": text}]}])

    def answer(self, *parts: Json) -> Reply:
        """Send tool parts as they stand in an assistant message of the SDK's."""
        return self.post(messages=[{"role": "assistant", "id": "m1", "parts": parts}])

    def decide(self, request: Json, *, approved: bool, **fields: Any) -> Reply:
        """Answer a `tool-approval-request`; with an `output` as a browser tool does."""
        return self.answer(decision(request, approved=approved, **fields))

    def model_context(self) -> ModelContext:
        """Ask the model what it was given so far."""
        return ModelContext(json.loads(self.say("/echo").text))


def decision(request: Json, *, approved: bool, reason: str | None = None, **fields: Any) -> Json:
    """The tool part of the SDK's that answers a `tool-approval-request`."""
    said = {"id": request["approvalId"], "approved": approved}
    return {
        "type": "tool-any",
        "toolCallId": request["toolCallId"],
        "state": "output-available" if "output" in fields else "approval-responded",
        "approval": said | ({"reason": reason} if reason else {}),
        **fields,
    }
