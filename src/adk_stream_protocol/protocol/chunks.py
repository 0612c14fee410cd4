"""Server to client: the UI message chunks we send, one class each.

Mirrors the portable core that `ai` 6.0.0, 7.0.0 and their newest releases accept. A field with a
default is optional and absent when unset: the SDK rejects `null`. A free-form field without a
default (`input`, `output`, `data`) is always written, also as `null`.
"""

from typing import Any, Literal, get_args

from adk_stream_protocol.protocol._model import Chunk, Model

FinishReason = Literal["stop", "length", "content-filter", "tool-calls", "error", "other"]

Outcome = Literal["denied", "expired", "cancelled", "withdrawn", "unknown", "refused", "failed"]
"""How a tool call ended that has no result. `docs/protocol.md` says when each is used."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Start(Chunk, tag="start"):
    """Opens a message, or goes on with one when `message_id` is that of an older message."""

    message_id: str | None = None
    message_metadata: dict[str, Any] | None = None


class StartStep(Chunk, tag="start-step"):
    """Opens a step: one model response and the tools it called."""


class FinishStep(Chunk, tag="finish-step"):
    """Closes a step. All text and reasoning of it is closed before."""


class Finish(Chunk, tag="finish"):
    """Closes the turn."""

    finish_reason: FinishReason | None = None
    message_metadata: dict[str, Any] | None = None


class Error(Chunk, tag="error"):
    """Ends the stream: a client reads nothing after it."""

    error_text: str


class TextStart(Chunk, tag="text-start"):
    """Opens a text part."""

    id: str


class TextDelta(Chunk, tag="text-delta"):
    """Adds to an open text part."""

    id: str
    delta: str


class TextEnd(Chunk, tag="text-end"):
    """Closes a text part."""

    id: str


class ReasoningStart(Chunk, tag="reasoning-start"):
    """Opens a reasoning part."""

    id: str


class ReasoningDelta(Chunk, tag="reasoning-delta"):
    """Adds to an open reasoning part."""

    id: str
    delta: str


class ReasoningEnd(Chunk, tag="reasoning-end"):
    """Closes a reasoning part."""

    id: str


class ToolInputStart(Chunk, tag="tool-input-start"):
    """Opens a tool call. `provider_executed` marks what the server runs."""

    tool_call_id: str
    tool_name: str
    provider_executed: bool = False


class ToolInputDelta(Chunk, tag="tool-input-delta"):
    """Adds JSON text to the input of an opened tool call."""

    tool_call_id: str
    input_text_delta: str


class ToolInputAvailable(Chunk, tag="tool-input-available"):
    """The whole input of a tool call."""

    tool_call_id: str
    tool_name: str
    input: Any
    provider_executed: bool = False


class ToolApprovalRequest(Chunk, tag="tool-approval-request"):
    """Asks a person about a tool call of this message."""

    approval_id: str
    tool_call_id: str


class ToolOutputAvailable(Chunk, tag="tool-output-available"):
    """The result of a tool call of this message."""

    tool_call_id: str
    output: Any
    provider_executed: bool = False


class ToolOutputError(Chunk, tag="tool-output-error"):
    """The failure of a tool call of this message."""

    tool_call_id: str
    error_text: str
    provider_executed: bool = False


class ToolOutputDenied(Chunk, tag="tool-output-denied"):
    """A tool call of this message that a person did not allow."""

    tool_call_id: str


class SourceUrl(Chunk, tag="source-url"):
    """A web page the answer rests on."""

    source_id: str
    url: str
    title: str | None = None


class SourceDocument(Chunk, tag="source-document"):
    """A document the answer rests on."""

    source_id: str
    media_type: str
    title: str
    filename: str | None = None


class File(Chunk, tag="file"):
    """A file or image of the answer, inline as a data URL or by address."""

    url: str
    media_type: str


class Data(Model):
    """An application's own part. Its type is `data-<name>`, so it is no fixed tag."""

    type: str
    data: Any
    id: str | None = None
    transient: bool = False


AnyChunk = Chunk | Data
