"""ScriptedModel: the script of `script.py` behind ADK's model interface."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.utils.streaming_utils import StreamingResponseAggregator
from google.genai import types

from adk_stream_protocol.testing.actions import Hang
from adk_stream_protocol.testing.context import Context
from adk_stream_protocol.testing.playback import steps
from adk_stream_protocol.testing.script import next_turn


class ScriptedModel(BaseLlm):
    """A deterministic model without a key: it understands a few requests and exact directives.

    See `adk_stream_protocol.testing.directives` for the directives. `delay` is the time in seconds
    before each delta, to make streaming visible.
    """

    model: str = "scripted-1"
    delay: float = 0.0

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """One model turn; with `stream`, its deltas first and then the whole, as Gemini does."""
        aggregator = StreamingResponseAggregator()
        last = types.GenerateContentResponse()
        async with aclosing(self._chunks(Context.of(llm_request))) as chunks:
            async for last in chunks:
                async for response in aggregator.process_response(last):
                    if stream:
                        yield response
        if (whole := aggregator.close()) is not None:
            yield whole if stream else _at_once(whole, last)

    async def _chunks(
        self, context: Context
    ) -> AsyncGenerator[types.GenerateContentResponse, None]:
        for step in steps(next_turn(context), context, self.model):
            if isinstance(step, Exception):
                raise step
            if isinstance(step, Hang):
                await asyncio.sleep(step.seconds)
            else:
                await asyncio.sleep(self.delay)
                yield step


def _at_once(whole: LlmResponse, last: types.GenerateContentResponse) -> LlmResponse:
    # Without streaming ADK reads a response by other rules: MAX_TOKENS with text is no error.
    for candidate in last.candidates or []:
        candidate.content = whole.content
    return LlmResponse.create(last)
