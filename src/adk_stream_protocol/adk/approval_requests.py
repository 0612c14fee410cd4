"""Approval requests: which calls need one, which are refused first, and the notes on them."""

import asyncio
import logging
from typing import Any
from uuid import uuid4

from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai.types import FunctionCall, Part

from adk_stream_protocol.adk.chat_calls import ChatCalls, Tools, chat_of
from adk_stream_protocol.adk.client_tool import ClientTool, needs_answer
from adk_stream_protocol.adk.sessions import finish_even_if_cancelled
from adk_stream_protocol.adk.task_context import current_run
from adk_stream_protocol.adk.tool_schema import Schemas
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import CONFIRMATION, Calls
from adk_stream_protocol.convert.events import (
    is_placeholder,
    is_user_message,
    last_message_at,
    parts_of,
)
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.telemetry.instruments import traceparent

logger = logging.getLogger(__name__)

TRANSFER = "transfer_to_agent"
UNDECIDED = object()
"""A predicate raised. ADK would raise again when it resumes the call, so nobody is asked."""

Notes = dict[str, dict[str, Any]]


class ApprovalRequests:
    """Decides which calls need approval. A record is made before anybody sees its request."""

    def __init__(self, book: ApprovalBook) -> None:
        self._book = book
        self.schemas = Schemas()
        self._unchatted = ChatCalls()
        """For runs that the application starts on the runner directly."""
        book.on_settled(self._unchatted.wake)

    @property
    def calls(self) -> ChatCalls:
        """The calls of the chat that the current task belongs to."""
        run = current_run()
        return run.calls if run else self._unchatted

    async def notes(
        self, context: InvocationContext, event: Event, calls: list[FunctionCall]
    ) -> Notes:
        """Note what the session alone does not say about these calls, and ask about some."""
        run = current_run()
        link = run.link if run and context.live_request_queue else None
        tools = link.tools if link else self.calls.tools_of(context.invocation_id, event.author)
        if not any(_may_ask(call, tools) for call in calls):
            return {}
        noting = asyncio.create_task(self._notes(context, calls, tools, is_live=link is not None))
        try:
            return await finish_even_if_cancelled(noting)
        except asyncio.CancelledError:
            if not noting.exception():
                await self._take_back(chat_of(context.session), noting.result())
            raise

    async def _take_back(self, chat: ChatId, notes: Notes) -> None:
        """Cancel requests that nobody will see: the run ended before their event was stored."""
        for record in (await self._book.of_calls(chat, list(notes))).values():
            await self._book.cancel(record, "the turn was stopped")

    async def _notes(
        self, context: InvocationContext, calls: list[FunctionCall], tools: Tools, *, is_live: bool
    ) -> Notes:
        notes: Notes = {}
        for call in calls:
            tool = tools.get(call.name or "")
            if call.name == CONFIRMATION:
                notes |= await self._confirmation(context, call, tools)
            elif call.id and isinstance(tool, ClientTool):
                notes[call.id] = await self._browser_call(context, call, tool)
            elif call.id and tool:
                note = await self._server_call(context, call, tool, is_live=is_live)
                notes |= {call.id: note} if note else {}
        return notes

    async def _server_call(
        self, context: InvocationContext, call: FunctionCall, tool: BaseTool, *, is_live: bool
    ) -> dict[str, Any]:
        """Note that a call needs approval. In a live run ask, since ADK has no dialog there."""
        tool_context = ToolContext(context, function_call_id=call.id)
        required = await self.requires(tool, call.args or {}, tool_context)
        if required is False:
            return {}
        if not is_live or required is UNDECIDED:
            return {"gated": True}
        asked = await self._ask_ourselves(context, call, tool)
        if asked:
            self.calls.add_asked((chat_of(context.session), call.id or ""))
        return {"gated": True, **asked}

    async def requires(
        self, tool: BaseTool, arguments: dict[str, Any], context: ToolContext
    ) -> object:
        """Ask the tool whether this call needs approval: anything but False means "ask"."""
        try:
            return await tool.check_require_confirmation(arguments, context)
        except Exception as error:
            log_failure(logger, error, "the confirmation predicate of %s failed", tool.name)
            return UNDECIDED

    async def _browser_call(
        self, context: InvocationContext, call: FunctionCall, tool: ClientTool
    ) -> dict[str, Any]:
        note: dict[str, Any] = {"browser": True, **traceparent()}
        if tool.ttl is not None:
            note["ttl"] = tool.ttl
        return note | (await self._ask_ourselves(context, call, tool) if tool.approval else {})

    async def _ask_ourselves(
        self, context: InvocationContext, call: FunctionCall, tool: BaseTool
    ) -> dict[str, Any]:
        arguments, approval_id = call.args or {}, f"adk-{uuid4()}"
        if await self.why_not(tool, arguments, context):
            return {}
        asked = (call.id or "", tool.name, arguments)
        shown = await self._ask(context, approval_id, asked, self.schemas.order(tool))
        return {"approvalId": approval_id, **shown}

    async def _confirmation(
        self, context: InvocationContext, call: FunctionCall, tools: Tools
    ) -> Notes:
        original = (call.args or {}).get("originalFunctionCall")
        if not call.id or not isinstance(original, dict):
            return {}
        self.calls.let_through_in(chat_of(context.session)).discard(original["id"])
        asked = (original["id"], original["name"], original.get("args") or {})
        tool = tools.get(original["name"])
        order = self.schemas.order(tool) if tool else ()
        return {original["id"]: await self._ask(context, call.id, asked, order)}

    async def _ask(
        self,
        context: InvocationContext,
        approval_id: str,
        asked: tuple[str, str, dict[str, Any]],
        order: tuple[str, ...],
    ) -> dict[str, Any]:
        call_id, tool, arguments = asked
        record = await self._book.ask(
            chat_of(context.session),
            approval_id,
            call_id=call_id,
            invocation_id=context.invocation_id,
            tool=tool,
            arguments=arguments,
        )
        return {"shown": self._book.show(record, order), **traceparent()}

    async def why_not(
        self, tool: BaseTool, arguments: dict[str, Any], context: InvocationContext
    ) -> str | None:
        """Say why nobody is asked about this call, or return None."""
        if fault := self.schemas.fault(tool, arguments):
            return f"The arguments are not valid: {fault}."
        chat, run = chat_of(context.session), current_run()
        if run and run.chat_id != chat:
            return "This tool needs approval, which cannot be asked for inside an agent tool."
        # A live run is one invocation for many turns.
        since = last_message_at(context.session.events)
        records = await self._book.of_turn(chat, context.invocation_id, since)
        pending = sum(record.state is State.PENDING for record in records)
        limits = self._book.limits
        most = limits.approvals_per_turn
        if pending + len(self.calls.let_through_in(chat)) >= most:
            return f"No more than {most} approvals can be open."
        if await self._book.store.open_count(chat.app, chat.user) >= limits.approvals_per_user:
            return "Too many requests of this user are waiting for approval already."
        denials = sum(
            record.tool == tool.name and record.created >= since
            for record in records
            if record.state is State.DENIED
        )
        if denials >= limits.denials_per_turn:
            return f"{tool.name} was denied {denials} times; do not ask again."
        return None


def in_call_order(session: Session, event: Event) -> list[Part]:
    """Order the parts of a response event, with the earlier responses of sibling calls in place."""
    parts = parts_of(event)
    new = {
        response.id: response.response or {}
        for response in event.get_function_responses()
        if response.id and not is_placeholder(event, response.id)
    }
    calls = Calls.of(_since_called(session.events, set(new)))
    given = {part.function_response.id: part for part in parts if part.function_response}
    ordered = [
        given.get(call_id) or tool_responses.response_part(calls.by_id[call_id], answer)
        for call_id, answer in calls.in_call_order(new).items()
    ]
    return [*ordered, *(part for part in parts if part not in ordered)]


def _since_called(events: list[Event], call_ids: set[str]) -> list[Event]:
    """Return the events since these calls were made: in a long turn they are the last few."""
    for index in range(len(events) - 1, -1, -1):
        call_ids -= {call.id or "" for call in events[index].get_function_calls()}
        if not call_ids or is_user_message(events[index]):
            return events[index:]
    return events


def unquote_live_event(event: Event) -> None:
    """Let a later model read what was said and called live as its own.

    ADK quotes such events as if another agent had said them, and leaves the results of quoted calls
    out where a browser gave them or we did (google-adk 2.13). Only a handing over stays a quote, as
    ADK means it.
    """
    parts = [*event.get_function_calls(), *event.get_function_responses()]
    if all(part.name != TRANSFER for part in parts):
        event.live_session_id = None


def _may_ask(call: FunctionCall, tools: Tools) -> bool:
    tool = tools.get(call.name or "")
    return call.name == CONFIRMATION or (tool is not None and needs_answer(tool))
