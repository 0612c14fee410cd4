"""MessageFold: the chunks of a message to the UIMessage that a client makes of them.

Does what `readUIMessageStream` of the AI SDK does (6.0.326, 7.0.169), for the chunks we send.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    File,
    Finish,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    SourceDocument,
    SourceUrl,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)

Json = dict[str, Any]


class MessageFold:
    """One assistant message while its chunks come in."""

    def __init__(self, id: str = "") -> None:
        self.id = id
        self.parts: list[Json] = []
        self._metadata: Json | None = None
        self._open: dict[tuple[str, str], tuple[Json, list[str]]] = {}
        self._tools: dict[str, Json] = {}
        self._called_in_step: set[str] = set()
        self._data: dict[tuple[str, str], Json] = {}

    def add(self, chunks: Iterable[AnyChunk]) -> None:
        """Take chunks into the message. What adds nothing to it is passed over."""
        for chunk in chunks:
            match chunk:
                case Start() | Finish():
                    self._describe(chunk)
                case StartStep():
                    self.parts.append({"type": "step-start"})
                    self._called_in_step.clear()
                case TextStart() | ReasoningStart():
                    self._begin(chunk)
                case TextDelta() | ReasoningDelta():
                    self._open[(_kind(chunk), chunk.id)][1].append(chunk.delta)
                case TextEnd() | ReasoningEnd():
                    part, pieces = self._open.pop((_kind(chunk), chunk.id))
                    part["text"], part["state"] = "".join(pieces), "done"
                case File() | SourceUrl() | SourceDocument():
                    self.parts.append(msgspec.to_builtins(chunk))
                case Data():
                    self._add_data(chunk)
                case _:
                    self._add_tool(chunk)

    def message(self) -> Json:
        """Return the message as it stands."""
        for part, pieces in self._open.values():
            part["text"] = "".join(pieces)
        metadata = {} if self._metadata is None else {"metadata": self._metadata}
        return {"id": self.id, "role": "assistant", **metadata, "parts": self.parts}

    def tool(self, call_id: str) -> Json | None:
        """Return the part of a call."""
        return self._tools.get(call_id)

    def data(self, type: str, id: str) -> Json | None:
        """Return the data part of that type and id."""
        return self._data.get((type, id))

    def _describe(self, chunk: Start | Finish) -> None:
        if isinstance(chunk, Start):
            self.id = chunk.message_id or self.id
        if chunk.message_metadata is not None:
            self._metadata = merged(self._metadata or {}, chunk.message_metadata)

    def _begin(self, chunk: TextStart | ReasoningStart) -> None:
        kind = _kind(chunk)
        part: Json = {"type": kind, "text": "", "state": "streaming"}
        if kind == "reasoning":
            part["id"] = chunk.id
        self.parts.append(part)
        self._open[(kind, chunk.id)] = (part, [])

    def _add_data(self, chunk: Data) -> None:
        if chunk.transient:
            return
        if chunk.id is not None and (known := self._data.get((chunk.type, chunk.id))):
            known["data"] = chunk.data
            return
        part: Json = {"type": chunk.type, "data": chunk.data}
        if chunk.id is not None:
            part["id"] = chunk.id
            self._data[(chunk.type, chunk.id)] = part
        self.parts.append(part)

    def _add_tool(self, chunk: AnyChunk) -> None:
        # Deltas of an input are passed over: a stored call is whole, and the whole input follows.
        match chunk:
            case ToolInputStart():
                self._call(chunk).update(state="input-streaming")
            case ToolInputAvailable():
                self._call(chunk).update(state="input-available", input=chunk.input)
            case ToolApprovalRequest():
                asked = {"state": "approval-requested", "approval": {"id": chunk.approval_id}}
                self._tools[chunk.tool_call_id].update(asked)
            case ToolOutputAvailable():
                self._end(chunk).update(state="output-available", output=chunk.output)
            case ToolOutputError():
                self._end(chunk).update(state="output-error", errorText=chunk.error_text)
            case ToolOutputDenied():
                self._tools[chunk.tool_call_id]["state"] = "output-denied"
            case _:
                pass

    def _call(self, chunk: ToolInputStart | ToolInputAvailable) -> Json:
        """Return the part of a call. The same call in a later step gets a part of its own."""
        call_id = chunk.tool_call_id
        if call_id not in self._called_in_step:
            self._called_in_step.add(call_id)
            self._tools[call_id] = {"type": "", "toolCallId": call_id}
            self.parts.append(self._tools[call_id])
        part = _renewed(self._tools[call_id], chunk.provider_executed)
        part["type"] = f"tool-{chunk.tool_name}"
        part.pop("input", None)
        return part

    def _end(self, chunk: ToolOutputAvailable | ToolOutputError) -> Json:
        return _renewed(self._tools[chunk.tool_call_id], chunk.provider_executed)


def _kind(chunk: AnyChunk) -> str:
    is_text = isinstance(chunk, TextStart | TextDelta | TextEnd)
    return "text" if is_text else "reasoning"


def _renewed(part: Json, provider_executed: bool) -> Json:
    part.pop("output", None)
    part.pop("errorText", None)
    if provider_executed:  # once said, it stays
        part["providerExecuted"] = True
    return part


def merged(base: Json, new: Json) -> Json:
    """Merge objects at every depth, as the SDK merges metadata."""
    result = dict(base)
    for key, value in new.items():
        known = base.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            value = merged(known, value)
        result[key] = value
    return result
