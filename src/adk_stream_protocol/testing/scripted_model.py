"""ScriptedModel: a script behind ADK's model interface, in request mode and live."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import cast

from google.adk.models.base_llm import BaseLlm
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.gemini_llm_connection import GeminiLlmConnection
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.utils.streaming_utils import StreamingResponseAggregator
from google.adk.utils.variant_utils import GoogleLLMVariant
from google.genai import types
from google.genai.live import AsyncSession
from pydantic import Field, PrivateAttr

from adk_stream_protocol.testing import holds
from adk_stream_protocol.testing.context.context import Context
from adk_stream_protocol.testing.live.config import LiveConfig
from adk_stream_protocol.testing.live.dialogue import Dialogue
from adk_stream_protocol.testing.live.resumption import Dialogues
from adk_stream_protocol.testing.live.session import ScriptedSession
from adk_stream_protocol.testing.playback import steps
from adk_stream_protocol.testing.script.actions import Hang, Hold, Release
from adk_stream_protocol.testing.script.script import Script


class ScriptedModel(BaseLlm):
    """A deterministic model without a key: it obeys directives, and what a script teaches it.

    See `adk_stream_protocol.testing.script.directives` for the directives, and `Script` for
    teaching. `delay` is the time in seconds before each delta, to make streaming visible.

    Live mode: Gemini 3.x makes its calls immediately and completes the turn after their results
    (`live_calls_at_once`); older models make them as the turn completes and answer in another one.
    Calls of one turn are made together if their tools are declared non-blocking, else one by one;
    `live_parallel_calls` says so regardless of the declarations. What a test says to the model is
    the UTF-8 text of it, sent as if it were audio and ended as audio is.
    """

    model: str = "scripted-1"
    script: Script = Field(default_factory=Script)
    delay: float = 0.0
    live_calls_at_once: bool = True
    live_parallel_calls: bool | None = None
    _dialogues: Dialogues = PrivateAttr(default_factory=Dialogues)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield a model turn; with `stream`, first its deltas, then the whole, as Gemini does."""
        aggregator = StreamingResponseAggregator()
        last = types.GenerateContentResponse()
        async with aclosing(self._chunks(Context.of(llm_request))) as chunks:
            async for last in chunks:
                async for response in aggregator.process_response(last):
                    if stream:
                        yield response
        if (whole := aggregator.close()) is not None:
            yield whole if stream else _at_once(whole, last)

    @asynccontextmanager
    async def connect(self, llm_request: LlmRequest) -> AsyncGenerator[BaseLlmConnection, None]:
        """Open a live connection; with session resumption configured, a handle can resume it."""
        session = self._session(llm_request)
        family = "gemini-3.0-live" if self.live_calls_at_once else "gemini-2.5-live"
        try:
            yield GeminiLlmConnection(
                cast(AsyncSession, session),
                GoogleLLMVariant.GEMINI_API,
                # ADK tells the two families apart by the name of the model.
                f"{family}-{self.model}",
            )
        finally:
            await session.close()

    def _session(self, request: LlmRequest) -> ScriptedSession:
        config = LiveConfig.of(
            request,
            calls_at_once=self.live_calls_at_once,
            parallel_calls=self.live_parallel_calls,
        )
        resumption = request.live_connect_config.session_resumption
        if resumption is None:
            return ScriptedSession(Dialogue(config, self.script), self.delay)
        known = resumption.handle
        dialogue = self._dialogues.find(known) if known else Dialogue(config, self.script)
        dialogue.config = config
        return ScriptedSession(dialogue, self.delay, lambda: self._dialogues.handle_for(dialogue))

    async def _chunks(
        self, context: Context
    ) -> AsyncGenerator[types.GenerateContentResponse, None]:
        for step in steps(self.script.next_turn(context), context, self.model):
            match step:
                case Exception():
                    raise step
                case Hang(seconds):
                    await asyncio.sleep(seconds)
                case Hold(name):
                    await holds.until_released(name)
                case Release(name):
                    holds.release(name)
                case _:
                    await asyncio.sleep(self.delay)
                    yield step


def _at_once(whole: LlmResponse, last: types.GenerateContentResponse) -> LlmResponse:
    # Without streaming ADK reads a response by other rules: MAX_TOKENS with text is no error.
    for candidate in last.candidates or []:
        candidate.content = whole.content
    return LlmResponse.create(last)
