"""TurnEncoder: the ADK events of one turn to the chunks a browser gets.

One model response is one step. Its text and its reasoning are a part each, parted only by a file or
by code that the model ran in between. ADK streams a response as partial events and repeats it whole
in a last one, all under one event id.
"""

from collections.abc import Iterable
from itertools import count
from typing import Any

import msgspec
from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.convert import media
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call, Calls
from adk_stream_protocol.convert.encode import endings
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.encode.sources import sources_of
from adk_stream_protocol.convert.encode.steps import ResponseInProgress, Steps
from adk_stream_protocol.convert.encode.tool_parts import ToolParts
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    Error,
    Finish,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    Start,
    TextDelta,
    TextEnd,
    TextStart,
)


class TurnEncoder:
    """Feed it the events of a turn in order; each call returns the chunks to send."""

    def __init__(
        self,
        message_id: str | None = None,
        *,
        approvals: ApprovalStyleName = "native",
        calls: Calls | None = None,
        held: Iterable[str] = (),
        reference: str = "",
        joins: bool = False,
    ) -> None:
        self.calls = Calls() if calls is None else calls
        self._tools = ToolParts(self.calls, approvals)
        self.message_id = message_id
        self._reference = reference
        self._held: list[list[str]] = [[text] for text in held]
        self._responses: dict[str, ResponseInProgress] = {}
        self._ids = count()
        self._steps = Steps(joins)
        self._answered = False
        self._usages: list[types.GenerateContentResponseUsageMetadata] = []
        self._model_version: str | None = None
        self._finish_reason: str | types.FinishReason | None = None
        self._failure: endings.Failure | None = None
        self.error_code = ""
        """Why the turn failed; empty unless it did."""
        self._seen_sources: set[str] = set()

    @property
    def keeps_answer(self) -> bool:
        """Return whether text waits for nothing but the end of the turn."""
        return bool(self._held) and not self.calls.open()

    def start(self) -> list[AnyChunk]:
        """Open the message, or go on with the one of `message_id`."""
        return [Start(message_id=self.message_id)]

    def encode(self, event: Event) -> list[AnyChunk]:
        """Encode one event."""
        out: list[AnyChunk] = []
        content = event.content
        if content is None or not (parts := content.parts):
            self._note(event, out)
        elif event.partial:
            response = self._responses.get(event.id)
            if response is None:
                response = self._responses[event.id] = self._open(event, out)
            for part in parts:
                if text := part.text:
                    if part.thought:
                        self._reasoning(response, text, out)
                    elif response.text:  # the way of nearly all events, kept short
                        out.append(TextDelta(id=response.text, delta=text))
                    else:
                        self._text(response, text, out)
                else:
                    self._partial_part(event, response, part, out)
        else:
            self._complete(event, parts, out)
        return out

    def decided(self, call: Call, approved: bool) -> list[AnyChunk]:
        """Show that a person answered the request for this call."""
        return self._tools.decided(call, approved)

    def go(self, call: Call) -> list[AnyChunk]:
        """Tell the browser that this approved call of its own may run now."""
        return [self._tools.available(call)]

    def answers(self, plan: Plan) -> list[AnyChunk]:
        """Encode what answers themselves change in the message; all else comes from the run."""
        if plan.results or plan.unacknowledged:
            self._steps.after_tool = True
        return self._tools.planned(plan)

    def replay(self, plan: Plan, events: Iterable[Event]) -> list[AnyChunk]:
        """Encode what answers led to when they came first: these events."""
        out: list[AnyChunk] = []
        for call in plan.repeated:
            if call.approval_id and call.decision is not None:
                out += self.decided(call, call.decision)
        for event in events:
            out += self.encode(event)
        return out

    def settle(self, call: Call) -> list[AnyChunk]:
        """Send the known result of a call of this message."""
        self._steps.after_tool = True
        return self._tools.output(call)

    def data(self, name: str, data: Any, id: str | None, transient: bool) -> list[AnyChunk]:
        """Encode a data part of the application."""
        return [Data(type=f"data-{name}", data=data, id=id, transient=transient)]

    def finish(self) -> list[AnyChunk]:
        """Close the turn: the agent is done, or waits for the browser."""
        if self._failure:
            return self.fail(self._failure)
        out = self._close_turn()
        waiting = bool(self.calls.open())
        reason = "tool-calls" if waiting else endings.finish_reason(self._finish_reason)
        out.append(Finish(finish_reason=reason, message_metadata=self._metadata()))
        return out

    def fail(self, failure: endings.Failure) -> list[AnyChunk]:
        """Close everything, then say what a user may know."""
        out = self._close_all()
        if not self.calls.open():
            self._release(out)
        self._steps.end(out)
        self.error_code = failure.code
        reference = f", reference {self._reference}" if self._reference else ""
        out.append(Error(error_text=f"{failure.text} ({failure.code}{reference})"))
        return out

    def stop(self) -> list[AnyChunk]:
        """Close everything because the turn was stopped. It is no error."""
        out = self._close_turn()
        out.append(Finish(finish_reason="other", message_metadata=self._metadata()))
        return out

    def _open(self, event: Event, out: list[AnyChunk]) -> ResponseInProgress:
        source = (event.author, event.branch)
        if self._responses:
            for event_id, response in list(self._responses.items()):
                if response.source == source:  # its last event never came
                    self._close(self._responses.pop(event_id), out)
        return ResponseInProgress(source)

    def _enter(self, response: ResponseInProgress, out: list[AnyChunk]) -> None:
        """Open the step of a response before its first chunk. Parallel responses share one."""
        if not (self._steps.is_open and self._is_beside_another(response)):
            self._steps.next(out)
        response.visible = self._answered = True

    def _is_beside_another(self, response: ResponseInProgress) -> bool:
        for other in self._responses.values():
            if other.visible and other is not response:
                return True
        return False

    def _text(self, response: ResponseInProgress, text: str, out: list[AnyChunk]) -> None:
        if self._tools.holds_text:
            if not response.held:
                self._held.append(response.held)
            response.held.append(text)
            self._answered = True
            return
        if not response.text:
            if not response.visible:
                self._enter(response, out)
            response.text = str(next(self._ids))
            out.append(TextStart(id=response.text))
        out.append(TextDelta(id=response.text, delta=text))

    def _reasoning(self, response: ResponseInProgress, text: str, out: list[AnyChunk]) -> None:
        if not response.reasoning:
            if not response.visible:
                self._enter(response, out)
            response.reasoning = str(next(self._ids))
            out.append(ReasoningStart(id=response.reasoning))
        out.append(ReasoningDelta(id=response.reasoning, delta=text))

    def _partial_part(
        self, event: Event, response: ResponseInProgress, part: types.Part, out: list[AnyChunk]
    ) -> None:
        chunks = self._tools.stream(part)
        if not chunks and (chunks := media.files_of(part) or self._tools.code(event, part)):
            self._close(response, out)  # what is said next comes after it
        if chunks and not response.visible:
            self._enter(response, out)
        out += chunks

    def _complete(self, event: Event, parts: list[types.Part], out: list[AnyChunk]) -> None:
        """Encode the last event of a response, or one that came whole; also tool results."""
        response = self._responses.pop(event.id, None)
        if response is None and not (len(parts) == 1 and parts[0].function_response):
            response = self._open(event, out)
            self._whole(event, response, parts, out)
        self._tool_parts(event, parts, response, out)
        if response is not None:
            self._note(event, out)

    def _tool_parts(
        self,
        event: Event,
        parts: list[types.Part],
        response: ResponseInProgress | None,
        out: list[AnyChunk],
    ) -> None:
        """Encode what a complete event says of tools; a response that comes with it is over."""
        seen = self.calls.observe(event, parts)
        if response is not None:
            self._close(response, out)
            if seen.asked and not response.visible:
                self._enter(response, out)
            if seen.asked or seen.dialogs:
                self._tools.asked(seen, out)
        if seen.answered and self._tools.answered(seen, out):
            self._steps.after_tool, self._answered = True, False
        if target := event.actions.transfer_to_agent:
            out += self.data("agent", {"from": event.author, "to": target}, None, False)

    def _whole(
        self,
        event: Event,
        response: ResponseInProgress,
        parts: list[types.Part],
        out: list[AnyChunk],
    ) -> None:
        """Send all of a response that was not streamed but its calls."""
        for part in parts:
            if text := part.text:
                (self._reasoning if part.thought else self._text)(response, text, out)
            elif not part.function_call:
                self._partial_part(event, response, part, out)

    def _note(self, event: Event, out: list[AnyChunk]) -> None:
        """Note what an event says about its response as a whole."""
        if event.grounding_metadata or event.citation_metadata:
            self._sources(event, out)
        if (usage := event.usage_metadata) and not event.partial:  # the last event repeats it
            self._usages.append(usage)
        self._model_version = event.model_version or self._model_version
        self._finish_reason = event.finish_reason or self._finish_reason
        if event.error_code:
            self._note_error(event.error_code)

    def _sources(self, event: Event, out: list[AnyChunk]) -> None:
        for source in sources_of(event):
            if source.source_id not in self._seen_sources:
                self._seen_sources.add(source.source_id)
                number = f"source-{len(self._seen_sources)}"
                out.append(msgspec.structs.replace(source, source_id=number))

    def _note_error(self, code: str) -> None:
        # A cut or filtered answer that has content is an answer; without any, it is an error.
        reason = endings.finish_reason(code)
        if self._answered and reason in ("length", "content-filter"):
            self._finish_reason = code
        else:
            self._failure = endings.Failure.of_code(code)

    def _close(self, response: ResponseInProgress, out: list[AnyChunk]) -> None:
        if response.reasoning:
            out.append(ReasoningEnd(id=response.reasoning))
        if response.text:
            out.append(TextEnd(id=response.text))
        response.reasoning = response.text = ""

    def _close_all(self) -> list[AnyChunk]:
        out: list[AnyChunk] = []
        for response in self._responses.values():
            self._close(response, out)
        self._responses.clear()
        return out

    def _close_turn(self) -> list[AnyChunk]:
        out = self._close_all()
        waiting = bool(self.calls.open())
        if not waiting:
            self._release(out)
        self._steps.last(out, waiting=waiting)
        return out

    def _release(self, out: list[AnyChunk]) -> None:
        """Send the text that waited for the last approval of the turn."""
        for texts in self._held:
            self._steps.next(out)
            part = str(next(self._ids))
            deltas = [TextDelta(id=part, delta=text) for text in texts]
            out += [TextStart(id=part), *deltas, TextEnd(id=part)]
        self._held.clear()

    def _metadata(self) -> dict[str, Any]:
        total = endings.total_usage(self._usages)
        usage = {"usage": total} if total else {}
        model = {"modelVersion": self._model_version} if self._model_version else {}
        return {**usage, **model}
