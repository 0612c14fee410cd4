"""The ADK plugin in front of every tool. It holds in every mode, for every agent of the app.

ADK runs the dialog (the call waits, the answer resumes it); the record decides. A call passes here
twice: before anybody is asked, and again with the answer, when it must claim its record to start.
"""

import asyncio
import logging
from collections import Counter
from secrets import token_hex
from typing import Any
from uuid import uuid4

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai.types import FunctionCall

from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.convert import outcomes
from adk_stream_protocol.convert.calls import CONFIRMATION, NOTES
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.runtime.approvals import (
    MAX_DENIALS,
    MAX_PENDING,
    Approvals,
    Place,
    outcome_of,
)
from adk_stream_protocol.runtime.client_tool import ClientTool, tools_of
from adk_stream_protocol.runtime.schema import argument_fault, argument_order
from adk_stream_protocol.runtime.turn import current_chat

logger = logging.getLogger(__name__)

_HINT = "Please approve or reject the tool call."
_Notes = dict[str, dict[str, Any]]


class ApprovalGate(BasePlugin):
    """No start without a stored yes, no second start, no dialog made by the model."""

    def __init__(self, approvals: Approvals) -> None:
        super().__init__(name="adk_stream_approval_gate")
        self._approvals = approvals
        self._started: dict[tuple[Place, str], ApprovalRecord] = {}
        self._asking: Counter[Place] = Counter()
        """Calls let through to ADK's dialog whose record is not made yet."""

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Refuse calls named like ADK's own dialogs: only the server makes those."""
        for part in (llm_response.content and llm_response.content.parts) or []:
            if (call := part.function_call) and (call.name or "").startswith("adk_"):
                logger.warning("the model called %s; refused", call.name)
                call.name = f"refused_{call.name}"
        return None

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        """Make the records of what an event asks for, before it is stored or seen."""
        if event.long_running_tool_ids and not event.partial:
            tools = await tools_of(invocation_context.agent, event.author)
            notes: _Notes = {}
            for call in event.get_function_calls():
                tool = tools.get(call.name or "")
                if call.name == CONFIRMATION:
                    notes |= await self._confirmation(invocation_context, call, tools)
                elif call.id and isinstance(tool, ClientTool):
                    notes[call.id] = await self._browser_call(invocation_context, call, tool)
            if notes:
                metadata = event.custom_metadata or {}
                event.custom_metadata = {**metadata, NOTES: {"calls": notes}}
        return None

    async def _browser_call(
        self, context: InvocationContext, call: FunctionCall, tool: ClientTool
    ) -> dict[str, Any]:
        note: dict[str, Any] = {"browser": True}
        if tool.ttl is not None:
            note["ttl"] = tool.ttl
        arguments = call.args or {}
        if tool.approval and not await self._why_not(tool, arguments, context):
            note["approvalId"] = approval_id = f"adk-{uuid4()}"
            asked = (call.id or "", tool.name, arguments)
            note |= await self._ask(context, approval_id, asked, argument_order(tool))
        return note

    async def _confirmation(
        self, context: InvocationContext, call: FunctionCall, tools: dict[str, BaseTool]
    ) -> _Notes:
        original = (call.args or {}).get("originalFunctionCall")
        if not call.id or not isinstance(original, dict):
            return {}
        self._asking[_place(context)] -= 1
        asked = (original["id"], original["name"], original.get("args") or {})
        tool = tools.get(original["name"])
        order = argument_order(tool) if tool else ()
        return {original["id"]: await self._ask(context, call.id, asked, order)}

    async def _ask(
        self,
        context: InvocationContext,
        approval_id: str,
        asked: tuple[str, str, dict[str, Any]],
        order: tuple[str, ...],
    ) -> dict[str, Any]:
        call_id, tool, arguments = asked
        record = await self._approvals.ask(
            _place(context),
            approval_id,
            call_id=call_id,
            invocation_id=context.invocation_id,
            tool=tool,
            arguments=arguments,
        )
        return {"shown": self._approvals.show(record, order)}

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """None lets ADK ask or run; anything else is the result, and the tool is not entered."""
        if isinstance(tool, ClientTool):
            return await self._before_browser(tool, tool_args, tool_context)
        if tool_context.tool_confirmation is None:
            return await self._before_asking(tool, tool_args, tool_context)
        return await self._before_running(tool_args, tool_context)

    async def _before_asking(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        try:
            required: object = await tool.check_require_confirmation(arguments, context)
        except Exception:
            logger.exception("the confirmation predicate of %s failed: asking", tool.name)
            required = None
        if required is False:
            return None
        invocation = context.get_invocation_context()
        if why := await self._why_not(tool, arguments, invocation):
            return outcomes.refused(why)
        self._asking[_place(invocation)] += 1
        if required is not True:
            # ADK would run it: it takes anything but True for a no (google-adk 2.13).
            context.request_confirmation(hint=_HINT)
            context.actions.skip_summarization = True
            return outcomes.not_approved()
        return None

    async def _before_browser(
        self, tool: ClientTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        place, call_id = _place(context.get_invocation_context()), context.function_call_id or ""
        if tool.approval and not await self._approvals.of_calls(place, [call_id]):
            why = await self._why_not(tool, arguments, context.get_invocation_context())
            return outcomes.refused(why or "It could not be asked for.")
        fault = argument_fault(tool, arguments)
        return outcomes.refused(f"The arguments are not valid: {fault}.") if fault else None

    async def _why_not(
        self, tool: BaseTool, arguments: dict[str, Any], context: InvocationContext
    ) -> str | None:
        """Why nobody is asked about this call, or None."""
        if fault := argument_fault(tool, arguments):
            return f"The arguments are not valid: {fault}."
        place = _place(context)
        if current_chat() not in (None, (place.principal, place.session)):
            return "This tool needs approval, which cannot be asked for inside an agent tool."
        records = await self._approvals.of_turn(place, context.invocation_id)
        pending = sum(record.state is State.PENDING for record in records)
        if pending + self._asking[place] >= MAX_PENDING:
            return f"More than {MAX_PENDING} approvals would be open."
        same = [record for record in records if record.tool == tool.name]
        if sum(record.state is State.DENIED for record in same) >= MAX_DENIALS:
            return f"{tool.name} was denied {MAX_DENIALS} times; do not ask again."
        return None

    async def _before_running(
        self, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        place, call_id = _place(context.get_invocation_context()), context.function_call_id or ""
        record = (await self._approvals.of_calls(place, [call_id])).get(call_id)
        if record is None:
            return outcomes.not_approved()
        if started := await self._approvals.claim(record, arguments):
            self._started[(place, call_id)] = started
            return None
        record = (await self._approvals.of_calls(place, [call_id]))[call_id]
        if record.state is State.EXECUTING and self._approvals.is_abandoned(record):
            record = await self._approvals.lose(record)
        return outcome_of(record) or outcomes.not_approved()

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: dict[str, Any],
    ) -> dict[str, Any] | None:
        """Record the result before ADK makes an event of it."""
        if record := self._take(tool_context):
            await self._finish(record, result, failed=False)
        return None

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> dict[str, Any] | None:
        """A tool that raises has a result too: the model and the user are told that it failed."""
        if type(tool) is BaseTool:  # ADK's stand-in for a name it does not know
            return outcomes.unknown_tool(tool.name)
        record = self._take(tool_context)
        if isinstance(error, asyncio.CancelledError):
            if record:
                await self._approvals.lose(record)
            return None
        reference = token_hex(4)
        logger.error("tool %s failed, reference %s", tool.name, reference, exc_info=error)
        outcome = outcomes.failed(tool.name, reference)
        if record:
            await self._finish(record, outcome, failed=True)
        return outcome

    def _take(self, context: ToolContext) -> ApprovalRecord | None:
        place = _place(context.get_invocation_context())
        return self._started.pop((place, context.function_call_id or ""), None)

    async def _finish(self, record: ApprovalRecord, result: Any, *, failed: bool) -> None:
        try:
            await self._approvals.finish(record, result, failed=failed)
        except StreamProtocolError:
            # The effect has happened and its result is known here: tell it rather than hide it.
            logger.exception("approval %s: its result could not be recorded", record.id)


def _place(context: InvocationContext) -> Place:
    session = context.session
    return Place(session.app_name, session.user_id, session.id)
