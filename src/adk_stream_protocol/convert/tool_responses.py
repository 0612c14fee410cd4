"""Responses to calls that did not run as asked, for the model and in ADK's forms.

A call without a result has the response `{"error": text, "outcome": code}`. The text is for the
model and for people; code reads the code.
"""

from collections.abc import Iterable
from typing import Any

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai import types

from adk_stream_protocol.convert.calls import CONFIRMATION, Call
from adk_stream_protocol.protocol.chunks import OUTCOMES, Outcome

MAX_REASON = 1000


def denied(reason: str | None) -> dict[str, Any]:
    """Answer a call to which a person said no."""
    response = _ended("denied", "The user denied this call. It did not run.")
    return response | ({"reason": reason[:MAX_REASON]} if reason else {})


def cancelled() -> dict[str, Any]:
    """Answer a call whose user moved on before answering."""
    return _ended(
        "cancelled",
        "The call was cancelled: the user went on without answering. It did not run.",
    )


def withdrawn() -> dict[str, Any]:
    """Answer a call that the model took back, or left to another agent, before it was answered."""
    return _ended(
        "withdrawn", "The agent took the call back before it was answered. It did not run."
    )


def expired() -> dict[str, Any]:
    """Answer a call that nobody answered in time."""
    return _ended("expired", "The call expired: nobody answered in time. It did not run.")


def failed(name: str, reference: str) -> dict[str, Any]:
    """Answer a call whose tool raised. The log has the error under the reference, the chat not."""
    return _ended("failed", f"The tool {name} failed (reference {reference}).")


def browser_failed(error: str) -> dict[str, Any]:
    """Answer a call of which the browser says that it failed, and why."""
    return _ended("failed", error[:MAX_REASON])


def not_started(reference: str) -> dict[str, Any]:
    """Answer a call at which the gate itself failed, before the tool was entered."""
    return _ended(
        "failed", f"The call could not be started (reference {reference}). It did not run."
    )


def outcome_unknown() -> dict[str, Any]:
    """Answer a call that was started and whose end is not known: it may have taken effect."""
    return _ended(
        "unknown",
        "outcome_unknown: the call was started, but the server ended before its result"
        " was known. It may have taken effect. Check before you do it again.",
    )


def cut_off() -> dict[str, Any]:
    """Answer a call without approval whose run ended without a word about it."""
    return _ended("unknown", "The call was cut off before its result was known.")


def not_approved() -> dict[str, Any]:
    """Answer a call for which no yes is stored."""
    return _ended("refused", "This call was not approved. It did not run.")


def refused(why: str) -> dict[str, Any]:
    """Answer a call that nobody is asked about."""
    return _ended("refused", f"{why} It did not run, and nobody was asked.")


def unknown_tool(name: str) -> dict[str, Any]:
    """Answer a call of a tool that does not exist."""
    return _ended("refused", f"There is no tool named {name}.")


def _ended(outcome: Outcome, text: str) -> dict[str, Any]:
    """Write the response of a call without a result: the text for the model, the code for code."""
    return {"error": text, "outcome": outcome}


def outcome_code(response: dict[str, Any]) -> Outcome | None:
    """Tell how a call with this response ended. None if the response is a result.

    A tool may give a code with an error of its own. An error without one is a failure.
    """
    error = response.get("error")
    if error is None:
        return None
    for code in OUTCOMES:
        if response.get("outcome") == code:
            return code
    return outcome_of_old_text(error) if isinstance(error, str) else "failed"


def is_bare_error(response: dict[str, Any]) -> bool:
    """Return whether a response holds an error, perhaps with its code, and nothing beside it."""
    if not isinstance(response.get("error"), str):
        return False
    return len(response) == 1 or (len(response) == 2 and response.get("outcome") in OUTCOMES)


def outcome_of_old_text(error: str) -> Outcome:
    """Read the code from the text of an error that was stored without one.

    Until 0.2 (2026-11): chats stored before the codes hold only these sentences.
    """
    if error.endswith("It did not run, and nobody was asked."):
        return "refused"
    for beginning, code in _OLD_TEXTS:
        if error.startswith(beginning):
            return code
    return "failed"


_OLD_TEXTS: tuple[tuple[str, Outcome], ...] = (
    ("The user denied this call.", "denied"),
    ("The call expired:", "expired"),
    ("The call was cancelled:", "cancelled"),
    ("The agent took the call back", "withdrawn"),
    ("outcome_unknown:", "unknown"),
    ("This call was not approved.", "refused"),
    ("There is no tool named ", "refused"),
)


def browser_result(value: Any) -> dict[str, Any]:
    """Put a browser's result into the shape ADK wants: an object."""
    return value if isinstance(value, dict) else {"result": value}


def response_part(call: Call, response: dict[str, Any]) -> types.Part:
    """Make the one function response of a call."""
    return types.Part(
        function_response=types.FunctionResponse(id=call.id, name=call.name, response=response)
    )


def cancelled_silently(call: Call) -> types.Content:
    """Tell a model that goes on while a call waits: it is over, and there is nothing to say."""
    response = types.FunctionResponse(
        id=call.id,
        name=call.name,
        response=cancelled(),
        scheduling=types.FunctionResponseScheduling.SILENT,
    )
    return user_content([types.Part(function_response=response)])


def decision_part(call: Call, approved: bool, reason: str | None) -> types.Part:
    """Make a decision as ADK's confirmation expects it, with the reason in its payload."""
    response: dict[str, Any] = {"confirmed": approved}
    if reason:
        response["payload"] = {"reason": reason[:MAX_REASON]}
    return types.Part(
        function_response=types.FunctionResponse(
            id=call.approval_id, name=CONFIRMATION, response=response
        )
    )


def dialog(*calls: Call) -> list[Event]:
    """Make the events by which ADK asks about calls: the requests and the placeholders."""
    asked = Event(
        author=calls[0].author,
        invocation_id=calls[0].invocation_id,
        content=types.Content(role="model", parts=[_request_part(call) for call in calls]),
        long_running_tool_ids={call.approval_id or "" for call in calls},
    )
    stand_in = Event(
        author=calls[0].author,
        invocation_id=calls[0].invocation_id,
        content=user_content(response_part(call, not_approved()) for call in calls),
        actions=EventActions(
            skip_summarization=True,
            requested_tool_confirmations={
                call.id: ToolConfirmation(hint=call.hint) for call in calls
            },
        ),
    )
    return [asked, stand_in]


def _request_part(call: Call) -> types.Part:
    original = {"id": call.id, "name": call.name, "args": call.args}
    confirmation = {"hint": call.hint, "confirmed": False}
    return types.Part(
        function_call=types.FunctionCall(
            id=call.approval_id,
            name=CONFIRMATION,
            args={"originalFunctionCall": original, "toolConfirmation": confirmation},
        )
    )


def pause() -> types.Content:
    """End a history that a live model would otherwise answer immediately."""
    return types.Content(role="model", parts=[types.Part(text="(waiting for the user)")])


def user_content(parts: Iterable[types.Part]) -> types.Content:
    """Make one message to ADK of parts."""
    return types.Content(role="user", parts=list(parts))
