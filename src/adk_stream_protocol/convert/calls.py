"""The tool calls of one user turn, read from ADK events: what was asked, answered, still waits.

The ADK session is the only source: a call, its approval request and its answer are events of it.
What ADK's events do not say stands in our notes on them.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert.events import (
    is_dialog,
    is_placeholder,
    is_user_message,
    notes_of,
    parts_of,
)

CONFIRMATION = "adk_request_confirmation"


NOTHING = msgspec.UNSET
"""No result yet. `None` is a result that a browser may send."""


class Call(msgspec.Struct):
    """One tool call of a turn and what became of it."""

    id: str
    name: str
    args: dict[str, Any]
    invocation_id: str
    author: str
    asked_at: float
    siblings: list[str]
    """The calls of the same model response, in its order, this one included."""
    gated: bool = False
    """A person is asked before the server runs it."""
    browser: bool = False
    ttl: float | None = None
    approval_id: str | None = None
    hint: str = ""
    shown: dict[str, Any] | None = None
    """What an approver sees, made by the server from the record."""
    has_dialog: bool = False
    """ADK itself has asked; without that it cannot be resumed."""
    decision: bool | None = None
    early_result: Any = NOTHING
    traceparent: str | None = None
    """The span that the call was made in, as W3C writes it; where somebody traces."""
    response: dict[str, Any] | None = None

    @property
    def waits_for_approval(self) -> bool:
        return self.approval_id is not None and self.decision is None and self.response is None

    @property
    def waits_for_result(self) -> bool:
        return self.browser and self.response is None and not self.waits_for_approval

    @property
    def is_unfinished(self) -> bool:
        """Return whether it is decided, but without the result that the decision leads to."""
        return not self.browser and self.decision is not None and self.response is None

    @property
    def is_open(self) -> bool:
        return self.response is None and (self.waits_for_approval or self.waits_for_result)


class Seen(msgspec.Struct):
    """The calls that one event is about."""

    asked: list[Call] = []
    dialogs: list[Call] = []
    """Those that ADK asks a person about."""
    answered: list[Call] = []


class Calls(msgspec.Struct):
    """All calls of a turn, found by call id or by approval id."""

    by_id: dict[str, Call] = {}
    by_approval: dict[str, Call] = {}

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Calls":
        """Read stored events, oldest first."""
        calls = cls()
        for event in events:
            calls.observe(event, parts_of(event))
        return calls

    def find(self, any_id: str) -> Call | None:
        """Find a call by call id, approval id or confirmation id, never by tool name."""
        return self.by_id.get(any_id) or self.by_approval.get(any_id)

    def open(self) -> list[Call]:
        """Return the calls that wait for a person or for the browser."""
        return [call for call in self.by_id.values() if call.is_open]

    def running(self) -> list[Call]:
        """Return the calls that the server is about to answer."""
        return [call for call in self.by_id.values() if call.response is None and not call.is_open]

    def in_call_order(self, new: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Order new responses, and those of their siblings once all have one, as the model asked.

        The model sees no ids, only the order; and it sees the last event that answers a call.
        """
        ordered: dict[str, dict[str, Any]] = {}
        for call_id in new:
            call = self.by_id.get(call_id)
            siblings = [self.by_id[name] for name in call.siblings] if call else []
            answers = {call.id: new.get(call.id, call.response) for call in siblings}
            if siblings and None not in answers.values():
                ordered |= {name: answer for name, answer in answers.items() if answer is not None}
        return ordered | {name: answer for name, answer in new.items() if name not in ordered}

    def observe(self, event: Event, parts: list[types.Part]) -> Seen:
        """Take one complete event into account; these are its parts."""
        seen = Seen()
        for part in parts:
            if call := part.function_call:
                self._observe_call(event, call, seen)
            elif response := part.function_response:
                self._observe_response(event, response, seen)
        if len(seen.asked) > 1:
            siblings = [call.id for call in seen.asked]
            for call in seen.asked:
                call.siblings = siblings
        for call_id, note in notes_of(event).items():
            if known := self.by_id.get(call_id):
                self._observe_note(known, note)
        return seen

    def _observe_call(self, event: Event, asked: types.FunctionCall, seen: Seen) -> None:
        call_id, name, args = asked.id, asked.name, asked.args or {}
        if not call_id or not name:
            return
        if name == CONFIRMATION:
            if is_dialog(event, call_id):
                self._observe_confirmation(call_id, args)
            if known := self.by_approval.get(call_id):
                seen.dialogs.append(known)
            return
        call = self.by_id[call_id] = Call(
            call_id, name, args, event.invocation_id, event.author, event.timestamp, [call_id]
        )
        seen.asked.append(call)

    def _observe_confirmation(self, confirmation_id: str, args: dict[str, Any]) -> None:
        original, confirmation = args.get("originalFunctionCall"), args.get("toolConfirmation")
        call = self.by_id.get(str(original.get("id"))) if isinstance(original, dict) else None
        if call and not call.browser and call.response is None:
            call.approval_id, call.has_dialog = confirmation_id, True
            hint = confirmation.get("hint") if isinstance(confirmation, dict) else None
            call.hint = str(hint or "")
            self.by_approval[confirmation_id] = call

    def _observe_response(self, event: Event, response: types.FunctionResponse, seen: Seen) -> None:
        answer, call_id = response.response or {}, response.id or ""
        if response.name == CONFIRMATION:
            if call := self.by_approval.get(call_id):
                call.decision = answer.get("confirmed") is True
        elif (call := self.by_id.get(call_id)) and not is_placeholder(event, call_id):
            call.response = answer
            seen.answered.append(call)

    def _observe_note(self, call: Call, note: dict[str, Any]) -> None:
        if note.get("gated"):
            call.gated = True
        if note.get("browser"):
            call.browser, call.ttl = True, note.get("ttl")
        if approval_id := note.get("approvalId"):
            call.approval_id = approval_id
            self.by_approval[approval_id] = call
        if "shown" in note:
            call.shown = note["shown"]
        call.traceparent = note.get("traceparent", call.traceparent)
        if "result" in note:
            call.early_result = note["result"]


def current_turn(events: list[Event]) -> list[Event]:
    """Return the events after the last message the user wrote: all that can still be open."""
    for index in range(len(events) - 1, -1, -1):
        if is_user_message(events[index]):
            return events[index + 1 :]
    return events
