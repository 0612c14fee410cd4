"""The ADK plugin in front of every tool. It holds in every mode, for every agent of the app.

The record decides. In a request ADK runs the dialog: the call passes here twice, before anybody is
asked and again with the answer. A live run cannot be resumed, so there the call waits here. Either
way it must claim its record to start.
"""

import asyncio
import logging
from collections.abc import Awaitable
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
    ApprovalRequests,
    in_call_order,
    unquote_live_event,
)
from adk_stream_protocol.adk.chat_calls import CallKey, ChatCalls, chat_of
from adk_stream_protocol.adk.client_tool import ClientTool
from adk_stream_protocol.adk.private import is_stand_in
from adk_stream_protocol.adk.task_context import current_run
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, State
from adk_stream_protocol.approvals.response import response_of
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.events import add_notes
from adk_stream_protocol.convert.history.exchanges import MESSAGE_ID
from adk_stream_protocol.errors import StreamProtocolError
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.telemetry.calls import gate_span
from adk_stream_protocol.telemetry.instruments import OUTCOME

logger = logging.getLogger(__name__)

Decision = Awaitable[dict[str, Any] | None]
_HINT = "Please approve or reject the tool call."


class ApprovalGate(BasePlugin):
    """No start without a stored yes, no second start, no dialog made by the model."""

    def __init__(self, book: ApprovalBook) -> None:
        super().__init__(name="adk_stream_approval_gate")
        self._book = book
        self._requests = ApprovalRequests(book)

    @property
    def _calls(self) -> ChatCalls:
        return self._requests.calls

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Forget what the last run let through. A chat has one run at a time."""
        self._calls.forget_let_through(chat_of(invocation_context.session))

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Remember the tools that this model call may name."""
        self._calls.remember_tools(
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
        run = current_run()
        link = run.link if run and invocation_context.live_request_queue else None
        if link and (message_id := link.message_id):
            add_notes(event, {MESSAGE_ID: message_id})
        if calls := event.get_function_calls():
            if invocation_context.live_request_queue is not None:
                _refuse_dialogs(calls)  # a live response passes no callback (google-adk 2.13)
            notes = await self._requests.notes(invocation_context, event, calls)
            if notes:
                add_notes(event, {"calls": notes})
        elif event.get_function_responses() and event.content:
            if invocation_context.live_request_queue is None:  # a live model knows the ids
                event.content.parts = in_call_order(invocation_context.session, event)
        unquote_live_event(event)
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Return None to let ADK ask or run; any other value is the result of the call."""
        if isinstance(tool, ClientTool):
            return await self._before_browser(tool, tool_args, tool_context)
        if tool_context.tool_confirmation is not None:
            starting = self._before_running(tool_args, tool_context)
            return await self._in_span(tool, tool_context, starting, "started")
        if self._calls.take_asked(_key(tool_context)):
            waiting = self._wait_in_live_run(tool, tool_args, tool_context)
            return await self._in_span(tool, tool_context, waiting, "started")
        required = await self._requests.requires(tool, tool_args, tool_context)
        if required is False:
            self._calls.begin(_key(tool_context))
            self._end_with_task(tool_context)
            return None
        if required is UNDECIDED:
            return tool_responses.refused(
                "The server could not tell whether this call needs approval."
            )
        if tool_context.get_invocation_context().live_request_queue is not None:
            return await self._wait_in_live_run(tool, tool_args, tool_context)
        asking = self._before_asking(tool, tool_args, tool_context, required)
        return await self._in_span(tool, tool_context, asking, "asked")

    async def _in_span(
        self, tool: BaseTool, context: ToolContext, deciding: Decision, passed: str
    ) -> dict[str, Any] | None:
        with gate_span(tool, context) as span:
            found = await deciding
            span.set_attribute(OUTCOME, passed if found is None else "stopped")
        return found

    async def _wait_in_live_run(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        """Wait for the answer, and make a response of what fails.

        ADK would swallow what is raised here, and the model wait for ever (google-adk 2.13).
        """
        run, task = current_run(), asyncio.current_task()
        if (link := run.link if run else None) and task:
            call_id = context.function_call_id or ""
            task.add_done_callback(lambda ended: ended.cancelled() or link.call_ended(call_id))
        try:
            return await self._wait(tool, arguments, context)
        except Exception as error:
            reference = token_hex(4)
            log_failure(
                logger, error, "tool %s could not be started, reference %s", tool.name, reference
            )
            return tool_responses.not_started(reference)

    async def _wait(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        """Wait for the answer inside the live run, while ADK goes on listening to the model."""
        record = await self._record_of(context)
        if record is None:
            return await self._refuse(tool, arguments, context)
        self._end_with_task(context, record.id)
        record = await self._answered(record)
        if (run := current_run()) and run.link:
            run.link.decided(record.call_id, record.state)
        if record.state in (State.CANCELLED, State.WITHDRAWN, State.LAPSED):
            # Who cancelled it has told the model; a result from here would be a second one.
            raise asyncio.CancelledError
        context.tool_confirmation = ToolConfirmation(confirmed=True)
        return await self._before_running(arguments, context)

    async def _answered(self, record: ApprovalRecord) -> ApprovalRecord:
        calls = self._calls
        woken = calls.waiting[record.id] = asyncio.Event()
        try:
            return await self._book.answered(record, woken)
        finally:
            del calls.waiting[record.id]

    async def _before_asking(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext, required: object
    ) -> dict[str, Any] | None:
        if why := await self._requests.why_not(tool, arguments, context.get_invocation_context()):
            return tool_responses.refused(why)
        self._calls.let_through(_key(context))
        if required is not True:
            # ADK would run it: it takes anything but True for a no (google-adk 2.13).
            context.request_confirmation(hint=_HINT)
            context.actions.skip_summarization = True
            return tool_responses.not_approved()
        return None

    async def _before_browser(
        self, tool: ClientTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        if tool.approval and not await self._record_of(context):
            return await self._refuse(tool, arguments, context)
        fault = self._requests.schemas.fault(tool, arguments)
        return tool_responses.refused(f"The arguments are not valid: {fault}.") if fault else None

    async def _before_running(
        self, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        calls, key = self._calls, _key(context)
        record = calls.held.pop(key, None) or await self._record_of(context)
        if record is None:
            return tool_responses.not_approved()
        if started := await self._book.claim(record, arguments):
            calls.start(key, started)
            self._end_with_task(context, started.id)
            return None
        record = await self._record_of(context) or record
        if self._book.is_over(record, runs_here=calls.is_running(record.id)):
            record = await self._book.lose(record)
        return response_of(record) or tool_responses.not_approved()

    async def _record_of(self, context: ToolContext) -> ApprovalRecord | None:
        chat, call_id = _key(context)
        return (await self._book.of_calls(chat, [call_id])).get(call_id)

    async def _refuse(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any]:
        """Say why nobody was asked about a call that has no record."""
        why = await self._requests.why_not(tool, arguments, context.get_invocation_context())
        return tool_responses.refused(why or "Approval could not be requested.")

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: dict[str, Any],
    ) -> dict[str, Any] | None:
        """Record the result before ADK makes an event of it."""
        if record := self._take_started(tool_context):
            await self._finish(record, result, failed=False)
        return await self._after_asking(tool, tool_args, tool_context)

    async def _after_asking(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> dict[str, Any] | None:
        """Hold a tool that has asked in its body to the same limits as the others."""
        invocation, (chat, call_id) = context.get_invocation_context(), _key(context)
        requested = context.actions.requested_tool_confirmations
        if call_id not in requested or call_id in self._calls.let_through_in(chat):
            return None
        if invocation.live_request_queue is not None:
            del requested[call_id]
            return tool_responses.refused(
                "A tool cannot ask for approval while it runs in a live chat."
            )
        if why := await self._requests.why_not(tool, arguments, invocation):
            del requested[call_id]
            return tool_responses.refused(why)
        self._calls.let_through((chat, call_id))
        return None

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> dict[str, Any] | None:
        """Make a result of an error: the model and the user are told that the tool failed."""
        if is_stand_in(tool):
            return tool_responses.unknown_tool(tool.name)
        record = self._take_started(tool_context)
        if isinstance(error, asyncio.CancelledError):
            if record:
                self._calls.end(record.id)
                await self._book.lose(record)
            return None
        reference = token_hex(4)
        log_failure(logger, error, "tool %s failed, reference %s", tool.name, reference)
        outcome = tool_responses.failed(tool.name, reference)
        if record:
            await self._finish(record, outcome, failed=True)
        return outcome

    def _end_with_task(self, context: ToolContext, approval_id: str | None = None) -> None:
        """Count a call as ended when its task ends, whoever ends it."""
        calls, key = self._calls, _key(context)

        def end(_: object) -> None:
            calls.end(key)
            calls.end(approval_id)
            calls.take_started(key)

        if task := asyncio.current_task():
            task.add_done_callback(end)

    def _take_started(self, context: ToolContext) -> ApprovalRecord | None:
        """Return the claimed record of a call that has just ended, once."""
        self._calls.end(_key(context))
        return self._calls.take_started(_key(context))

    async def _finish(self, record: ApprovalRecord, result: Any, *, failed: bool) -> None:
        try:
            await self._book.finish(record, result, failed=failed)
        except StreamProtocolError as error:
            # The effect has happened and its result is known here: tell it rather than hide it.
            log_failure(logger, error, "approval %s: its result could not be recorded", record.id)
        finally:
            self._calls.end(record.id)


def _key(context: ToolContext) -> CallKey:
    return chat_of(context.session), context.function_call_id or ""


def _refuse_dialogs(calls: list[FunctionCall]) -> None:
    for call in calls:
        if (call.name or "").startswith("adk_"):
            logger.warning("the model called %s; refused", call.name)
            call.name = f"refused_{call.name}"
