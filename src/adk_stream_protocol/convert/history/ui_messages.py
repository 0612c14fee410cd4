"""A stored conversation as UIMessages: what a page shows again after a reload.

Every answer goes through the same TurnEncoder as when it was streamed; its chunks are folded into
the message a client would have made of them. The approval records decide where a call stands.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert import media
from adk_stream_protocol.convert.calls import CONFIRMATION, Call, Calls
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.encode.live import LiveTurnEncoder, is_waiting
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.convert.events import is_placeholder, model_speech, parts_of
from adk_stream_protocol.convert.history.exchanges import exchanges, live_invocations
from adk_stream_protocol.convert.history.message_builder import Json, MessageFold
from adk_stream_protocol.protocol.chunks import AnyChunk, Error, Finish, Start


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a call by its record and the clock, whatever the session says of it."""

    decision: bool | None = None
    reason: str | None = None
    outcome: Json | None = None
    """How it ended, where the session has not been told."""
    waits_for: str | None = None
    """The role whose turn it is to decide."""


Standings = Mapping[str, Standing]
_NOTHING_KNOWN = Standing()


def ui_messages(
    events: list[Event],
    standings: Standings,
    *,
    approvals: ApprovalStyleName = "native",
    unfinished: str | None = None,
) -> list[Json]:
    """Rebuild the conversation, oldest message first, without the message `unfinished`."""
    live = live_invocations(events)
    answers = [
        (exchange, _Answer(exchange.message_id, approvals, standings, live))
        for exchange in exchanges(events)
    ]
    owners: dict[str, _Answer] = {}
    for exchange, answer in answers:
        for event in exchange.events:
            for call in event.get_function_calls():
                owners[call.id or ""] = answer
            for concerned in _concerned(event, owners) or [answer]:
                concerned.add(event)
    messages: list[Json] = []
    for exchange, answer in answers:
        if exchange.said:
            parts = _said_parts(exchange.content)
            messages.append({"id": exchange.user_message_id, "role": "user", "parts": parts})
        if exchange.message_id != unfinished and (message := answer.message())["parts"]:
            messages.append(message)
    return messages


def message_prefix(events: list[Event], approvals: ApprovalStyleName) -> list[AnyChunk]:
    """Rebuild what a message held before its running turn, for a page that reads all of it."""
    kept = _Kept()
    answer = _Answer("", approvals, {}, live_invocations(events), kept)
    for event in events:
        answer.add(event)
    answer.finish()
    return kept.chunks


class _Kept(MessageFold):
    """Keeps the chunks themselves, but for those that frame a turn."""

    def __init__(self) -> None:
        super().__init__()
        self.chunks: list[AnyChunk] = []

    def add(self, chunks: Iterable[AnyChunk]) -> None:
        self.chunks += [chunk for chunk in chunks if not isinstance(chunk, Start | Finish | Error)]


def _concerned(event: Event, owners: dict[str, "_Answer"]) -> list["_Answer"]:
    """Find the answers whose calls an event answers. In a live run it may come much later."""
    ids = [response.id or "" for response in event.get_function_responses()]
    return list(dict.fromkeys(owners[call_id] for call_id in ids if call_id in owners))


def _said_parts(content: types.Content) -> list[Json]:
    shown: list[Json] = []
    for part in content.parts or []:
        if part.text:
            shown.append({"type": "text", "text": part.text})
        else:
            shown += map(msgspec.to_builtins, media.files_of(part))
    return shown


class _Answer:
    """The assistant message of one exchange. Every reply that made it has an encoder of its own."""

    def __init__(
        self,
        message_id: str,
        approvals: ApprovalStyleName,
        standings: Standings,
        live: set[str],
        fold: MessageFold | None = None,
    ) -> None:
        self._fold = fold or MessageFold(message_id)
        self._approvals: ApprovalStyleName = approvals
        self._standings = standings
        self._live = live
        self._calls = Calls()
        self._held: list[str] = []
        self._decided: set[str] = set()
        self._is_live = False
        self._encoder = self._next_encoder()

    def add(self, event: Event) -> None:
        """Take one stored event into account."""
        calls, responses = event.get_function_calls(), event.get_function_responses()
        if calls and all(call.id in self._calls.by_approval for call in calls):
            return  # asked once more, for ADK to resume what a live run left
        if event.author == "user":
            if responses:  # an answer, and the reply to it
                self._turn_over()
        elif self._is_live is not (event.invocation_id in self._live):
            self._is_live = not self._is_live
            self._turn_over()
        for response in responses:
            self._answered(event, response)
        self._fold.add(self._encoder.encode(event))
        self._held += _texts_of(event)
        if self._is_live and is_waiting(self._calls):
            self._turn_over()

    def message(self) -> Json:
        """Return the message with every call as it stands now."""
        for call in self._calls.by_id.values():
            if call.response is None:
                self._settle(call)
        self.finish()
        for call in self._calls.by_approval.values():
            self._show_decision(call)
        return self._fold.message()

    def _next_encoder(self) -> TurnEncoder:
        held = self._held if self._approvals == "adk-tool" else ()
        if self._is_live:
            joins = bool(self._calls.open())
            return LiveTurnEncoder(
                approvals=self._approvals, calls=self._calls, held=held, joins=joins
            )
        return TurnEncoder(approvals=self._approvals, calls=self._calls, held=held)

    def _turn_over(self) -> None:
        self.finish()
        self._encoder = self._next_encoder()

    def finish(self) -> None:
        """Close the reply that is open."""
        self._fold.add(self._encoder.finish())
        if not self._calls.open():
            self._held.clear()

    def _answered(self, event: Event, response: types.FunctionResponse) -> None:
        """Show whether a person allowed a call, before its result is shown."""
        call = self._calls.find(response.id or "")
        if call is None or is_placeholder(event, call.id):
            return
        decision = self._standing(call).decision
        if decision is None and response.name == CONFIRMATION:
            decision = (response.response or {}).get("confirmed") is True
        self._decide(call, decision)

    def _decide(self, call: Call, decision: bool | None) -> None:
        if decision is not None:
            call.decision = decision
            self._show_answered(call)

    def _show_answered(self, call: Call) -> None:
        if call.approval_id and call.id not in self._decided:
            self._decided.add(call.id)
            self._fold.add(self._encoder.decided(call, call.decision is True))

    def _settle(self, call: Call) -> None:
        standing = self._standing(call)
        self._decide(call, standing.decision)
        if standing.outcome is not None:
            call.response = standing.outcome
            self._show_answered(call)
            self._fold.add(self._encoder.settle(call))
        elif call.browser and call.decision:
            self._fold.add(self._encoder.go(call))

    def _show_decision(self, call: Call) -> None:
        """Add what a client adds to its own part when its user answers."""
        standing = self._standing(call)
        part = self._fold.tool(call.id) or {}
        if "approval" in part and call.decision is not None:
            reason = {"reason": standing.reason} if standing.reason else {}
            part["approval"] |= {"approved": call.decision, **reason}
            if part["state"] == "approval-requested":
                part["state"] = "approval-responded"
        elif part.get("state") != "approval-requested":
            part.pop("approval", None)  # nobody decided, and nobody can any more
        shown = self._fold.data("data-approval", call.approval_id or "")
        if shown and standing.waits_for:
            shown["data"]["waitsFor"] = standing.waits_for

    def _standing(self, call: Call) -> Standing:
        return self._standings.get(call.id, _NOTHING_KNOWN)


def _texts_of(event: Event) -> list[str]:
    if speech := model_speech(event):
        return [speech.text or ""]
    return [part.text for part in parts_of(event) if part.text and not part.thought]
