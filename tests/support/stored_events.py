"""Short ways to write stored conversations and the messages they become."""

from typing import Any

from google.adk.events.event import Event

from adk_stream_protocol.convert.calls import CONFIRMATION
from adk_stream_protocol.convert.history.ui_messages import Standings, ui_messages
from tests.support.events import ARGS, event, notes, pay_asked, response, text

Json = dict[str, Any]
STEP = {"type": "step-start"}
PLACE = {"latitude": 1}


def user(value: str = "go", id: str = "u1", **fields: Any) -> Event:
    return event(text(value), id=id, author="user", **fields)


def answered(call_id: str, name: str, value: Json) -> Event:
    return event(response(call_id, name, value), id="x1", author="user")


def asked_to_pay(card: Json | None = None) -> list[Event]:
    """A call that awaits approval, with our notes on it."""
    call_event, request, stand_in = pay_asked()
    call_event.custom_metadata = notes(c1={"gated": True})
    request.custom_metadata = notes(c1={"shown": card}) if card else None
    return [call_event, request, stand_in]


def decided_to_pay(verdict: bool) -> list[Event]:
    return [*asked_to_pay(), answered("a1", CONFIRMATION, {"confirmed": verdict})]


def messages(*events: Event, standings: Standings | None = None, **options: Any) -> list[Json]:
    return ui_messages([user(), *events], standings or {}, **options)


def parts(*events: Event, standings: Standings | None = None, **options: Any) -> list[Json]:
    """The parts of the one answer."""
    asked, answer = messages(*events, standings=standings, **options)
    assert (asked["role"], answer["role"]) == ("user", "assistant")
    return answer["parts"]


def said(value: str) -> Json:
    return {"type": "text", "text": value, "state": "done"}


def pay(state: str, **fields: Any) -> Json:
    return {"type": "tool-pay", "toolCallId": "c1", "input": ARGS, "state": state, **fields}


def locate(state: str, **fields: Any) -> Json:
    return {"type": "tool-locate", "toolCallId": "b1", "input": {}, "state": state, **fields}


def code(outcome: str, call_id: str = "c1") -> Json:
    """The part that says how a call ended that has no result."""
    data = {"toolCallId": call_id, "outcome": outcome}
    return {"type": "data-outcome", "id": call_id, "data": data}


def tools_of(found: list[Json]) -> list[Json]:
    return [part for part in found if part["type"].startswith("tool-")]
