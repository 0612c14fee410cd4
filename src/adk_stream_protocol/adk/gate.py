"""The ADK plugin in front of every tool. It holds in every mode, for every agent of the app.

The record decides. In a request ADK runs the dialog: the call passes here twice, before anybody is
asked and again with the answer. A live run cannot be resumed, so there the call waits here. Either
way it must claim its record to start.
"""

import asyncio
import logging
from secrets import token_hex
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.adk.tools.tool_context import ToolContext
from google.genai.types import FunctionCall

from adk_stream_protocol.adk.approval_requests import (
    UNDECIDED,
    Dialogs,
    in_call_order,
    own_words,
    place_of,
)
from adk_stream_protocol.adk.client_tool import ClientTool
from adk_stream_protocol.adk.live_model import current_link
from adk_stream_protocol.adk.task_context import current_message_id
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.approvals.response import outcome_of
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert import tool_responses as outcomes
from adk_stream_protocol.convert.calls import add_notes
from adk_stream_protocol.convert.history.exchanges import MESSAGE_ID
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.telemetry.calls import gated

logger = logging.getLogger(__name__)

_HINT = "Please approve or reject the tool call."


class ApprovalGate(BasePlugin):
    """No start without a stored yes, no second start, no dialog made by the model."""

    def __init__(self, approvals: ApprovalBook) -> None:
        super().__init__(name="adk_stream_approval_gate")
        self._approvals = approvals
        self._started: dict[object, ApprovalRecord] = {}
        self._dialogs = Dialogs(approvals)

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """A chat has one run at a time: nothing is on its way to a dialog yet."""
        self._dialogs.forget(place_of(invocation_context))

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Remember the tools that this model call may name."""
        self._dialogs.remember(
            callback_context.invocation_id, callback_context.agent_name, llm_request.tools_dict
        )
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Refuse calls named like ADK's own dialogs: only the server makes those."""
        parts = (llm_response.content and llm_response.content.parts) or []
        _refuse_dialogs([part.function_call for part in parts if part.function_call])
        return None

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        """Note on an event, before it is stored or seen, what the session alone does not say."""
        if event.partial:
            return None
        if invocation_context.live_request_queue and (message_id := current_message_id()):
            add_notes(event, {MESSAGE_ID: message_id})
        if calls := event.get_function_calls():
            if invocation_context.live_request_queue is not None:
                _refuse_dialogs(calls)  # a live response passes no callback (google-adk 2.13)
            notes = await self._dialogs.notes(invocation_context, event, calls)
            if notes:
                add_notes(event, {"calls": notes})
        elif event.get_function_responses() and event.content:
            if invocation_context.live_request_queue is None:  # a live model knows the ids
                event.content.parts = in_call_order(invocation_context.session, event)
        own_words(event)
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """None lets ADK ask or run; anything else is the result, and the tool is not entered."""
        if isinstance(tool, ClientTool):
            return await self._before_browser(tool, tool_args, tool_context)
        if tool_context.tool_confirmation is not None:
            return await gated(tool, tool_context, self._before_running(tool_args, tool_context))
        if self._dialogs.was_asked(*_key(tool_context)):
            waiting = self._wait_aloud(tool, tool_args, tool_context)
            return await gated(tool, tool_context, waiting)
        required = await self._dialogs.requires(tool, tool_args, tool_context)
        if required is False:
            self._approvals.running.begin(_key(tool_context), _key(tool_context)[0])
            self._ends_with_task(_key(tool_context))
            return None
        if required is UNDECIDED:
            return outcomes.refused("Whether this call needs approval could not be found out.")
        if tool_context.get_invocation_context().live_request_queue is not None:
            return await self._wait_aloud(tool, tool_args, tool_context)
        asking = self._before_asking(tool, tool_args, tool_context, required)
        return await gated(tool, tool_context, asking, "asked")

    async def _wait_aloud(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        """ADK would swallow what is raised here, and the model wait for ever (google-adk 2.13)."""
        link, task = current_link.get(), asyncio.current_task()
        if link and task:
            call_id = context.function_call_id or ""
            task.add_done_callback(lambda one: one.cancelled() or link.call_ended(call_id))
        try:
            return await self._wait(tool, arguments, context)
        except Exception:
            reference = token_hex(4)
            logger.exception("tool %s could not be started, reference %s", tool.name, reference)
            return outcomes.not_started(reference)

    async def _wait(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        """In a live run: wait for the answer here, while ADK goes on listening to the model."""
        invocation, call_id = context.get_invocation_context(), context.function_call_id or ""
        record = (await self._approvals.of_calls(place_of(invocation), [call_id])).get(call_id)
        if record is None:
            why = await self._dialogs.why_not(tool, arguments, invocation)
            return outcomes.refused(why or "It could not be asked for.")
        self._ends_with_task(record.id)
        record = await self._approvals.answered(record)
        if link := current_link.get():
            link.decided(call_id, record.state)
        if record.state in (State.CANCELLED, State.WITHDRAWN, State.LAPSED):
            # Who cancelled it has told the model; a result from here would be a second one.
            raise asyncio.CancelledError
        context.tool_confirmation = ToolConfirmation(confirmed=True)
        return await self._before_running(arguments, context)

    async def _before_asking(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext, required: object
    ) -> dict[str, Any] | None:
        invocation = context.get_invocation_context()
        if why := await self._dialogs.why_not(tool, arguments, invocation):
            return outcomes.refused(why)
        self._dialogs.let_through(place_of(invocation), context.function_call_id or "")
        if required is not True:
            # ADK would run it: it takes anything but True for a no (google-adk 2.13).
            context.request_confirmation(hint=_HINT)
            context.actions.skip_summarization = True
            return outcomes.not_approved()
        return None

    async def _before_browser(
        self, tool: ClientTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        place, call_id = place_of(context.get_invocation_context()), context.function_call_id or ""
        if tool.approval and not await self._approvals.of_calls(place, [call_id]):
            why = await self._dialogs.why_not(tool, arguments, context.get_invocation_context())
            return outcomes.refused(why or "It could not be asked for.")
        fault = self._dialogs.schemas.fault(tool, arguments)
        return outcomes.refused(f"The arguments are not valid: {fault}.") if fault else None

    async def _before_running(
        self, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        place, call_id = place_of(context.get_invocation_context()), context.function_call_id or ""
        record = await self._approvals.to_start(place, call_id)
        if record is None:
            return outcomes.not_approved()
        if started := await self._approvals.claim(record, arguments):
            self._started[(place, call_id)] = started
            self._ends_with_task(started.id, (place, call_id))
            return None
        record = (await self._approvals.of_calls(place, [call_id]))[call_id]
        if self._approvals.is_over(record):
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
        return await self._after_asking(tool, tool_args, tool_context)

    async def _after_asking(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        """A tool that has asked in its body is under the same limits as the others."""
        call_id, invocation = context.function_call_id or "", context.get_invocation_context()
        place = place_of(invocation)
        requested = context.actions.requested_tool_confirmations
        if call_id not in requested or self._dialogs.is_let_through(place, call_id):
            return None
        if invocation.live_request_queue is not None:
            del requested[call_id]
            return outcomes.refused("A tool cannot ask for approval while it runs in a live chat.")
        if why := await self._dialogs.why_not(tool, arguments, invocation):
            del requested[call_id]
            return outcomes.refused(why)
        self._dialogs.let_through(place, call_id)
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

    def _ends_with_task(self, *names: object) -> None:
        """Whatever ends the task of a call ends the call: callbacks of the application's, too."""

        def end(_: object) -> None:
            for name in names:
                self._approvals.running.end(name)
                self._started.pop(name, None)

        if task := asyncio.current_task():
            task.add_done_callback(end)

    def _take(self, context: ToolContext) -> ApprovalRecord | None:
        self._approvals.running.end(_key(context))
        return self._started.pop(_key(context), None)

    async def _finish(self, record: ApprovalRecord, result: Any, *, failed: bool) -> None:
        try:
            await self._approvals.finish(record, result, failed=failed)
        except StreamProtocolError:
            # The effect has happened and its result is known here: tell it rather than hide it.
            logger.exception("approval %s: its result could not be recorded", record.id)


def _key(context: ToolContext) -> tuple[ChatId, str]:
    return place_of(context.get_invocation_context()), context.function_call_id or ""


def _refuse_dialogs(calls: list[FunctionCall]) -> None:
    for call in calls:
        if (call.name or "").startswith("adk_"):
            logger.warning("the model called %s; refused", call.name)
            call.name = f"refused_{call.name}"
