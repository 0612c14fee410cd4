"""Short ways to write ADK events, calls and answers."""

from typing import Any

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.calls import CONFIRMATION, NOTHING, Calls
from adk_stream_protocol.convert.decode import Answer
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.convert.events import NOTES, notes_of
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    Finish,
    FinishReason,
    FinishStep,
    Outcome,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
)

ARGS = {"amount": 5}


def event(*parts: types.Part, id: str = "e1", author: str = "agent", **fields: Any) -> Event:
    """One event of an agent; without parts it has no content."""
    content = types.Content(role="model", parts=list(parts)) if parts else None
    dialogs = {part.function_call.id for part in parts if _is_dialog(part) and part.function_call}
    values = {"id": id, "author": author, "invocation_id": "i1", "timestamp": 1.0}
    values |= ({"long_running_tool_ids": dialogs} if dialogs else {}) | fields
    return Event.model_validate({"content": content, **values})


def _is_dialog(part: types.Part) -> bool:
    return part.function_call is not None and part.function_call.name == CONFIRMATION


def partial(*parts: types.Part, id: str = "e1", author: str = "agent", **fields: Any) -> Event:
    """A piece of a response that streams."""
    return event(*parts, id=id, author=author, partial=True, **fields)


def text(value: str, *, thought: bool = False) -> types.Part:
    return types.Part(text=value, thought=thought or None)


def call(call_id: str | None, name: str | None, **fields: Any) -> types.Part:
    values = {"id": call_id, "name": name, **fields}
    return types.Part(function_call=types.FunctionCall.model_validate(values))


def response(call_id: str, name: str, value: dict[str, Any] | None) -> types.Part:
    answer = types.FunctionResponse(id=call_id, name=name, response=value)
    return types.Part(function_response=answer)


def notes(**calls: dict[str, Any]) -> dict[str, Any]:
    """Our notes on an event, by call id."""
    return {NOTES: {"calls": calls}}


def confirmation(call_id: str, approval_id: str, hint: str = "Sure?") -> types.Part:
    """ADK's request to confirm a call."""
    args = {
        "originalFunctionCall": {"id": call_id},
        "toolConfirmation": {"hint": hint, "confirmed": False},
    }
    return call(approval_id, CONFIRMATION, args=args)


def placeholder(call_id: str, name: str = "pay") -> Event:
    """What ADK answers for a call that awaits approval."""
    actions = {"requested_tool_confirmations": {call_id: {"hint": "Sure?"}}}
    return event(response(call_id, name, {"error": "confirm first"}), id="p1", actions=actions)


def pay_asked(call_id: str = "c1", approval_id: str = "a1") -> list[Event]:
    """A server call that awaits approval."""
    return [
        event(call(call_id, "pay", args=ARGS)),
        event(confirmation(call_id, approval_id), id="q1"),
        placeholder(call_id),
    ]


def pay_decided(confirmed: Any) -> list[Event]:
    """The same call after the answer."""
    answer = event(response("a1", CONFIRMATION, {"confirmed": confirmed}), author="user")
    return [*pay_asked(), answer]


def locate_asked(call_id: str = "b1", **note: Any) -> list[Event]:
    """A browser call; with `approvalId` it awaits approval, with `approved` it was decided."""
    metadata = notes(**{call_id: {"browser": True, **note}})
    return [event(call(call_id, "locate", args={}), custom_metadata=metadata)]


def calls(*groups: list[Event]) -> Calls:
    events = [event for group in groups for event in group]
    found = Calls.of(events)
    for one in events:
        for call_id, note in notes_of(one).items():
            if "approved" in note:  # in a run, the approval record says so
                found.by_id[call_id].decision = note["approved"]
    return found


def explicit(call_id: str, value: Any) -> Answer:
    """An answer that a client sends on its own."""
    return Answer(ids=(call_id,), path=f"$.{call_id}", value=value)


def echo(
    *ids: str, approved: bool | None = None, value: Any = NOTHING, error: str | None = None
) -> Answer:
    """An answer inside the client's copy of a message."""
    return Answer(
        ids=ids, path=f"$.{ids[0]}", approved=approved, value=value, error=error, echoed=True
    )


def encoded(*events: Event, **options: Any) -> list[AnyChunk]:
    """The chunks of a whole turn after its `start`."""
    encoder = TurnEncoder("m1", **options)
    chunks = [chunk for one in events for chunk in encoder.encode(one)]
    return [*chunks, *encoder.finish()]


def ended(call_id: str, outcome: Outcome) -> Data:
    """The code of a call without a result that nobody was shown a description of."""
    data = {"toolCallId": call_id, "outcome": outcome}
    return Data(type="data-outcome", id=call_id, data=data)


def finish(reason: FinishReason = "stop", **metadata: Any) -> Finish:
    return Finish(finish_reason=reason, message_metadata=metadata)


def said(part_id: str, *deltas: str) -> list[AnyChunk]:
    """A whole text part."""
    pieces = [TextDelta(id=part_id, delta=delta) for delta in deltas]
    return [TextStart(id=part_id), *pieces, TextEnd(id=part_id)]


def step(*chunks: AnyChunk) -> list[AnyChunk]:
    return [StartStep(), *chunks, FinishStep()]
