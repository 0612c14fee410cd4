"""The two ways an approval looks on the wire. A stream uses one of them."""

from abc import ABC, abstractmethod
from typing import Literal

from adk_stream_protocol.convert.calls import CONFIRMATION, Call
from adk_stream_protocol.protocol.chunks import (
    AnyChunk,
    Data,
    Outcome,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)

ApprovalStyleName = Literal["native", "adk-tool"]


class ApprovalStyle(ABC):
    """The chunks of requests, decisions and denials, and whether text waits for them."""

    holds_text: bool
    denied_part_blocks_resubmit: bool
    """Whether the SDK's helper for tool outputs takes a denied part for an unfinished one."""

    @abstractmethod
    def hidden_from_resubmit(self, call: Call) -> bool:
        """Return whether the client's resubmit helpers are to leave this call out of account."""

    @abstractmethod
    def request(self, call: Call) -> list[AnyChunk]:
        """Ask about a call whose input was sent."""

    @abstractmethod
    def decided(self, call: Call, approved: bool) -> list[AnyChunk]:
        """Show that a person answered."""

    @abstractmethod
    def denied(self, call: Call) -> list[AnyChunk]:
        """Close a call that will not run."""


class Native(ApprovalStyle):
    """The AI SDK's own approval chunks on the original call."""

    holds_text = False
    denied_part_blocks_resubmit = True

    def hidden_from_resubmit(self, call: Call) -> bool:
        # The helper for tool outputs must see a gated call, or it posts, and goes on posting, as
        # soon as a browser call beside it has its output.
        return not call.browser and not call.gated

    def request(self, call: Call) -> list[AnyChunk]:
        request = ToolApprovalRequest(approval_id=call.approval_id or "", tool_call_id=call.id)
        return [request, *_shown(call)]

    def decided(self, call: Call, approved: bool) -> list[AnyChunk]:
        return []

    def denied(self, call: Call) -> list[AnyChunk]:
        return [ToolOutputDenied(tool_call_id=call.id)]


class AdkTool(ApprovalStyle):
    """ADK's confirmation as a tool call of its own, which the client answers with an output.

    Clients of this style take text for "already answered", so text waits for the last answer.
    """

    holds_text = True
    denied_part_blocks_resubmit = False

    def hidden_from_resubmit(self, call: Call) -> bool:
        # The confirmation call is the one that the helpers wait for.
        return not call.browser

    def request(self, call: Call) -> list[AnyChunk]:
        confirmation_id = call.approval_id or ""
        original = {"id": call.id, "name": call.name, "args": call.args}
        hint = (
            (call.shown or {}).get("hint")
            or call.hint
            or f"Please approve or reject the tool call {call.name}()."
        )
        return [
            ToolInputStart(tool_call_id=confirmation_id, tool_name=CONFIRMATION),
            ToolInputAvailable(
                tool_call_id=confirmation_id,
                tool_name=CONFIRMATION,
                input={
                    "originalFunctionCall": original,
                    "toolConfirmation": {"hint": hint, "confirmed": False},
                },
            ),
            *_shown(call),
        ]

    def decided(self, call: Call, approved: bool) -> list[AnyChunk]:
        output = {"confirmed": approved}
        return [ToolOutputAvailable(tool_call_id=call.approval_id or "", output=output)]

    def denied(self, call: Call) -> list[AnyChunk]:
        error = str((call.response or {}).get("error", "denied"))
        return [
            ToolOutputError(
                tool_call_id=call.id,
                error_text=error,
                provider_executed=self.hidden_from_resubmit(call),
            )
        ]


def _shown(call: Call) -> list[AnyChunk]:
    """Show what the approver sees, as a data part: the one way that every client version takes."""
    if call.shown is None:
        return []
    data = {"toolCallId": call.id, **call.shown}
    return [Data(type="data-approval", id=call.approval_id, data=data)]


def outcome_part(call: Call, outcome: Outcome) -> AnyChunk:
    """Say by a code how a call without a result ended, before the chunk that ends the call.

    It renews the part that the approver saw. A call that nobody was asked about has its own part:
    early clients of `ai` 6 refuse metadata on tool outputs.
    """
    data = {"toolCallId": call.id, **(call.shown or {}), "outcome": outcome}
    if call.shown is None:
        return Data(type="data-outcome", id=call.id, data=data)
    return Data(type="data-approval", id=call.approval_id, data=data)


STYLES: dict[ApprovalStyleName, ApprovalStyle] = {"native": Native(), "adk-tool": AdkTool()}
