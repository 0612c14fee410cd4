"""The chunks that a turn must have, whatever way it took; only the approval style tells."""

from dataclasses import dataclass
from typing import Any

from tests.support.ways.bodies import Json
from tests.support.ways.clients import Client, Style

DENIED = "The user denied this call. It did not run."
PAYMENT_HINT = "Money leaves the wallet at once and cannot be called back."


@dataclass(frozen=True)
class Call:
    """A call by its order in the conversation: c1 is asked about under a1."""

    number: int
    name: str
    input: Json
    gated: bool = False
    browser: bool = False
    card: Json | None = None

    @property
    def id(self) -> str:
        return f"c{self.number}"

    @property
    def approval_id(self) -> str:
        return f"a{self.number}"


def payment(number: int, amount: int, recipient: str) -> Call:
    values: Json = {"amount": amount, "recipient": recipient, "currency": "USD"}
    card = {
        "toolCallId": f"c{number}",
        "tool": "process_payment",
        "title": "Send money",
        "hint": PAYMENT_HINT,
        "risk": "high",
        "icon": "banknote",
        "arguments": [_argument(name, value) for name, value in values.items()],
    }
    return Call(number, "process_payment", values, gated=True, card=card)


def _argument(name: str, value: object) -> Json:
    kind = "string" if isinstance(value, str) else "number"
    return {"name": name, "value": str(value), "kind": kind, "cut": False}


def location(number: int = 1) -> Call:
    card = {
        "toolCallId": f"c{number}",
        "tool": "get_location",
        "title": "Get location",
        "risk": "medium",
        "arguments": [],
    }
    return Call(number, "get_location", {}, gated=True, browser=True, card=card)


def bgm(number: int, track: int) -> Call:
    return Call(number, "change_bgm", {"track": track}, browser=True)


def weather(number: int, place: str) -> Call:
    return Call(number, "get_weather", {"location": place})


def receipt(call: Call, balance: int) -> Json:
    return {"success": True, **call.input, "wallet_balance": balance}


@dataclass(frozen=True)
class Expect:
    """Turns in one style, for a client that names the message it answers or does not."""

    style: Style
    names_message: bool

    @classmethod
    def of(cls, client: Client) -> "Expect":
        return cls(client.chat.style, client.names_message)

    def new(self, *chunks: Json, message: int = 1, reason: str = "stop") -> list[Json]:
        """A turn that begins a message."""
        return [{"type": "start", "messageId": f"m{message}"}, *chunks, finish(reason)]

    def more(self, *chunks: Json, message: int = 1, reason: str = "stop") -> list[Json]:
        """A turn that goes on with a message."""
        named = {"messageId": f"m{message}"} if self.names_message else {}
        return [{"type": "start", **named}, *chunks, finish(reason)]

    def asked(self, *calls: Call) -> list[Json]:
        """The step of a model that makes calls."""
        inputs = [self.available(call) for call in calls]
        requests = [chunk for call in calls if call.gated for chunk in self.request(call)]
        return step(*inputs, *requests)

    def available(self, call: Call) -> Json:
        chunk = {"type": "tool-input-available", "toolCallId": call.id, "toolName": call.name}
        return {**chunk, "input": call.input, **self._flag(call)}

    def request(self, call: Call) -> list[Json]:
        data = {"type": "data-approval", "data": call.card, "id": call.approval_id}
        if self.style == "native":
            ids = {"approvalId": call.approval_id, "toolCallId": call.id}
            return [{"type": "tool-approval-request", **ids}, data]
        hint = (call.card or {}).get("hint") or _hint(call)
        dialog = {
            "originalFunctionCall": {"id": call.id, "name": call.name, "args": call.input},
            "toolConfirmation": {"hint": hint, "confirmed": False},
        }
        chunk = {"type": "tool-input-available", "toolCallId": call.approval_id, "input": dialog}
        return [{**chunk, "toolName": "adk_request_confirmation"}, data]

    def decided(self, *verdicts: tuple[Call, bool]) -> list[Json]:
        """The dialogs of the adk-tool style are calls that get an output."""
        if self.style == "native":
            return []
        return [
            {"toolCallId": call.approval_id, **_output({"confirmed": verdict})}
            for call, verdict in verdicts
        ]

    def output(self, call: Call, value: Any) -> Json:
        return {"toolCallId": call.id, **_output(value), **self._flag(call)}

    def error(self, call: Call, text: str, outcome: str = "failed") -> list[Json]:
        chunk = {"type": "tool-output-error", "toolCallId": call.id, "errorText": text}
        return [_code(call, outcome), {**chunk, **self._flag(call)}]

    def denied(self, call: Call) -> list[Json]:
        if self.style == "native":
            return [_code(call, "denied"), {"type": "tool-output-denied", "toolCallId": call.id}]
        return self.error(call, DENIED, "denied")

    def _flag(self, call: Call) -> Json:
        seen_by_helpers = call.browser or (call.gated and self.style == "native")
        return {} if seen_by_helpers else {"providerExecuted": True}


def step(*chunks: Json) -> list[Json]:
    return [{"type": "start-step"}, *chunks, {"type": "finish-step"}]


def said(text: str, number: int = 0) -> list[Json]:
    """A whole text part."""
    part = {"id": str(number)}
    return [
        {"type": "text-start", **part},
        {"type": "text-delta", **part, "delta": text},
        {"type": "text-end", **part},
    ]


def thought(text: str, number: int = 0) -> list[Json]:
    return [
        {**chunk, "type": chunk["type"].replace("text", "reasoning")}
        for chunk in said(text, number)
    ]


def finish(reason: str) -> Json:
    return {"type": "finish", "finishReason": reason}


def _output(value: Any) -> Json:
    return {"type": "tool-output-available", "output": value}


def _code(call: Call, outcome: str) -> Json:
    """How a call ended that has no result: on the card, or in a part of its own."""
    if call.card:
        data = {**call.card, "outcome": outcome}
        return {"type": "data-approval", "data": data, "id": call.approval_id}
    data = {"toolCallId": call.id, "outcome": outcome}
    return {"type": "data-outcome", "data": data, "id": call.id}


def _hint(call: Call) -> str:
    return f"Please approve or reject the tool call {call.name}()."
