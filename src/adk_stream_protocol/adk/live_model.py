"""A model as a live run needs it: tools that wait do not stop ADK from listening, nothing that was
sent is lost with a broken link, and calls that the model takes back are noticed.

The agents of a live run are copies whose models are such variants; the application's stay as they
are. Only tool objects are shared: what is set on them here is read in live runs alone.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.llm_agent import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import errors, types
from websockets.exceptions import ConnectionClosed

from adk_stream_protocol.adk import private
from adk_stream_protocol.adk.client_tool import ClientTool, needs_answer
from adk_stream_protocol.adk.task_context import Link, current_run

logger = logging.getLogger(__name__)


def live_copy(root: BaseAgent, model: BaseLlm | str | None) -> BaseAgent:
    """Copy an agent tree for live runs, on this model where one is given."""
    named = LLMRegistry.new_llm(model) if isinstance(model, str) else model
    copy = root.clone()
    for agent in _tree(copy):
        if isinstance(agent, LlmAgent) and (agent.model or agent is copy):
            agent.model = live_variant(named or agent.canonical_live_model)
    return copy


def _make_room(model: BaseLlm) -> None:
    """Let a model send more while a person thinks, unless the application has set a limit."""
    if isinstance(model, Gemini) and "http_options" not in (given := model.client_kwargs or {}):
        socket = {"max_queue": 4096, "max_size": 16 * 2**20}
        model.client_kwargs = {**given, "http_options": {"async_client_args": socket}}


def _tree(agent: BaseAgent) -> list[BaseAgent]:
    return [agent, *(below for child in agent.sub_agents for below in _tree(child))]


def live_variant(model: BaseLlm) -> BaseLlm:
    """Return a copy of the model with a connection of ours.

    The copy is of a class made from the model's own, because ADK asks for `Gemini` by isinstance
    and for an overridden `connect`: a model that wraps another would not be treated as the other.
    It gets its state the way a pickled object does, so nothing that the model's class keeps outside
    of its fields is lost.
    """
    base = type(model)

    @asynccontextmanager
    async def connect(self: BaseLlm, llm_request: LlmRequest) -> AsyncGenerator[BaseLlmConnection]:
        run = current_run()
        link = run.link if run else None
        if link:
            _mark(llm_request, tells_model=link.tells_model)
        async with base.connect(self, llm_request) as connection:
            if link is None:
                yield connection
                return
            is_immediate = private.sends_calls_immediately(connection)
            link.connected(llm_request.tools_dict, sends_calls_immediately=is_immediate)
            private.wrap_messages(connection, lambda messages: _watch(messages, link))
            live = LiveConnection(connection, link)
            await live.send_unsent()
            yield live

    variant_class = type(base.__name__, (base,), {"connect": connect, "__doc__": base.__doc__})
    variant = variant_class.__new__(variant_class)
    variant.__setstate__(model.model_copy().__getstate__())
    _make_room(variant)
    return variant


def _mark(request: LlmRequest, *, tells_model: bool) -> None:
    waiting = {name for name, tool in request.tools_dict.items() if needs_answer(tool)}
    for name in waiting:
        if not isinstance(request.tools_dict[name], ClientTool):
            request.tools_dict[name].behavior = types.Behavior.NON_BLOCKING
    behavior = types.Behavior.NON_BLOCKING if tells_model else None
    for tool in request.config.tools or []:
        for declaration in (isinstance(tool, types.Tool) and tool.function_declarations) or []:
            if declaration.name in waiting:
                declaration.behavior = behavior


async def _watch(messages: private.Messages, link: Link) -> AsyncIterator[types.LiveServerMessage]:
    """Notice withdrawn calls and silence, of which ADK drops the messages (google-adk 2.13)."""
    async for message in messages:
        if message.tool_call_cancellation and message.tool_call_cancellation.ids:
            link.withdrawn(message.tool_call_cancellation.ids)
        if (update := message.session_resumption_update) and not update.new_handle:
            # While it works the model has no new handle; ADK would forget the old one.
            message.session_resumption_update = None
        yield message
        if message.server_content and message.server_content.generation_complete:
            link.fell_silent()


class LiveConnection(BaseLlmConnection):
    """A connection that keeps what it could not send for the one that follows it."""

    def __init__(self, inner: BaseLlmConnection, link: Link) -> None:
        self._inner = inner
        self._link = link

    async def send_history(self, history: list[types.Content]) -> None:
        await self._inner.send_history(history)

    async def send_content(self, content: types.Content) -> None:
        await self._send_content(content)

    async def _send_content(self, content: types.Content, *, partial: bool = False) -> None:
        """Override what ADK's live flow calls."""
        try:
            await private.send_content(self._inner, content, partial=partial)
        except (ConnectionClosed, errors.APIError) as error:
            # The receiving side meets the same end and decides whether to connect again.
            logger.info("the link broke while sending: %s", type(error).__name__)
            self._link.unsent.append(content)

    async def send_unsent(self) -> None:
        """Bring what the link before this one could not take."""
        while self._link.unsent:
            await self._inner.send_content(self._link.unsent[0])
            del self._link.unsent[0]

    async def send_realtime(self, blob: types.Blob) -> None:
        try:
            await self._inner.send_realtime(blob)
        except (ConnectionClosed, errors.APIError):
            logger.info("the link broke while sending audio")

    def receive(self) -> AsyncGenerator[LlmResponse, None]:
        return self._inner.receive()

    async def close(self) -> None:
        await self._inner.close()
