"""The peers' own conversions, each fed with the recorded turns and asked for wire bytes.

All of them are asynchronous generators that never wait, so one event loop drives a whole slice.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator

import pydantic_core
from ag_ui.encoder import EventEncoder
from ag_ui_adk.event_translator import EventTranslator
from google.adk.cli.api_server import _redact_credential_secrets, public_event
from google.adk.events import Event
from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.ui.vercel_ai import VercelAIEventStream

Turns = list[list[Event]]
Convert = Callable[[], int]


def adk_json(turns: Turns) -> Convert:
    """One dump per event: the cheapest ADK has, and not what its server does."""

    def convert() -> int:
        size = 0
        for turn in turns:
            for event in turn:
                data = event.model_dump_json(exclude_none=True, by_alias=True)
                size += len(f"data: {data}\n\n".encode())
        return size

    return convert


def adk_server(turns: Turns) -> Convert:
    """What `/run_sse` does with each event (google-adk 2.13, cli/api_server.py)."""

    def convert() -> int:
        size = 0
        for turn in turns:
            for event in turn:
                plain = public_event(event).model_dump(
                    exclude_none=True, by_alias=True, mode="json"
                )
                data = pydantic_core.to_json(_redact_credential_secrets(plain)).decode("utf-8")
                size += len(f"data: {data}\n\n".encode())
        return size

    return convert


def ag_ui_adk(turns: Turns) -> Convert:
    """ag-ui-adk's translator and AG-UI's encoder; the run's first and last event are left out."""
    logging.getLogger("ag_ui_adk").setLevel(logging.ERROR)

    async def convert() -> int:
        encoder, size = EventEncoder(), 0
        for turn in turns:
            translator = EventTranslator()
            for event in turn:
                async for item in translator.translate(event, "thread", "run"):
                    size += len(encoder.encode(item).encode())
            async for item in translator.force_close_streaming_message():
                size += len(encoder.encode(item).encode())
        return size

    return _driven(convert)


def pydantic_ai(turns: Turns) -> Convert:
    """pydantic-ai's Vercel AI stream, fed with its own events of equal content."""
    equal_turns = [list(_equal_events(turn)) for turn in turns]

    async def convert() -> int:
        size = 0
        for equal in equal_turns:
            stream = VercelAIEventStream(sdk_version=6)
            async for data in stream.encode_stream(stream.transform_stream(_replay(equal))):
                size += len(data.encode())
        return size

    return _driven(convert)


def _driven(convert: Callable[[], object]) -> Convert:
    loop = asyncio.new_event_loop()
    return lambda: loop.run_until_complete(convert())


async def _replay(events: Iterable[AgentStreamEvent]) -> AsyncIterator[AgentStreamEvent]:
    for event in events:
        yield event


def _equal_events(turn: list[Event]) -> Iterator[AgentStreamEvent]:
    """Yield what pydantic-ai's runtime emits where ADK emitted these."""
    text = ""
    for event in turn:
        for part in event.content.parts:
            if event.partial and not text:
                text = part.text
                yield PartStartEvent(index=0, part=TextPart(content=text))
            elif event.partial:
                text += part.text
                yield PartDeltaEvent(index=0, delta=TextPartDelta(content_delta=part.text))
            elif part.text:
                yield PartEndEvent(index=0, part=TextPart(content=text))
                text = ""
            elif call := part.function_call:
                equal = ToolCallPart(call.name, call.args, call.id)
                yield PartStartEvent(index=1, part=equal)
                yield PartEndEvent(index=1, part=equal)
                yield FunctionToolCallEvent(part=equal)
            elif result := part.function_response:
                yield FunctionToolResultEvent(
                    part=ToolReturnPart(result.name, result.response, result.id)
                )
