"""The two ways an approval looks on the wire."""

from typing import Any

import pytest

from adk_stream_protocol.convert.calls import CONFIRMATION, Call
from adk_stream_protocol.convert.encode.approval_style import (
    STYLES,
    AdkTool,
    ApprovalStyleName,
    Native,
)
from adk_stream_protocol.protocol.chunks import (
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)
from tests.support.events import ARGS, calls, locate_asked, pay_asked


def pay() -> Call:
    return calls(pay_asked()).by_id["c1"]


@pytest.mark.parametrize(("name", "kind"), [("native", Native), ("adk-tool", AdkTool)])
def test_a_style_is_found_by_name(name: ApprovalStyleName, kind: type[Any]) -> None:
    assert type(STYLES[name]) is kind


def test_only_the_older_style_holds_text() -> None:
    assert (Native().holds_text, AdkTool().holds_text) == (False, True)


def test_native_asks_on_the_original_call() -> None:
    assert Native().request(pay()) == [ToolApprovalRequest(approval_id="a1", tool_call_id="c1")]


def test_native_says_nothing_of_a_decision() -> None:
    assert Native().decided(pay(), True) == []


def test_native_denies_on_the_original_call() -> None:
    assert Native().denied(pay()) == [ToolOutputDenied(tool_call_id="c1")]


@pytest.mark.parametrize(
    ("hint", "shown"),
    [("Sure?", "Sure?"), ("", "Please approve or reject the tool call pay().")],
)
def test_adk_tool_asks_with_a_call_of_its_own(hint: str, shown: str) -> None:
    call = pay()
    call.hint = hint
    assert AdkTool().request(call) == [
        ToolInputStart(tool_call_id="a1", tool_name=CONFIRMATION),
        ToolInputAvailable(
            tool_call_id="a1",
            tool_name=CONFIRMATION,
            input={
                "originalFunctionCall": {"id": "c1", "name": "pay", "args": ARGS},
                "toolConfirmation": {"hint": shown, "confirmed": False},
            },
        ),
    ]


@pytest.mark.parametrize("approved", [True, False])
def test_adk_tool_answers_its_own_call(approved: bool) -> None:
    assert AdkTool().decided(pay(), approved) == [
        ToolOutputAvailable(tool_call_id="a1", output={"confirmed": approved})
    ]


@pytest.mark.parametrize(
    ("response", "text"), [({"error": "no", "reason": "x"}, "no"), (None, "denied"), ({}, "denied")]
)
def test_adk_tool_denies_with_an_error(response: dict[str, Any] | None, text: str) -> None:
    call = pay()
    call.response = response
    assert AdkTool().denied(call) == [
        ToolOutputError(tool_call_id="c1", error_text=text, provider_executed=True)
    ]


def test_a_denied_browser_call_is_not_flagged() -> None:
    call = calls(locate_asked(approvalId="a1")).by_id["b1"]
    assert AdkTool().denied(call) == [ToolOutputError(tool_call_id="b1", error_text="denied")]
