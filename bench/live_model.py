"""The scripted model in live mode, the same behind every server that is measured.

`text 200` is a turn of 200 written deltas, `speech 200` one of 200 pieces of audio with their
transcription, `count 200` one whose deltas are the numbers from 0 to 199.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

from google.adk.agents import LlmAgent
from google.adk.models import LlmRequest, LlmResponse
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.genai import types

from bench.model import APP_NAME, USAGE, WORDS, ScriptedModel, look_up

SOUND = types.Blob(mime_type="audio/pcm;rate=24000", data=bytes(1920))


class LiveModel(ScriptedModel):
    """Answers at once, but gives the event loop a turn before each message, as a socket would."""

    model: str = "scripted-live"

    @asynccontextmanager
    async def connect(self, llm_request: LlmRequest) -> AsyncGenerator[BaseLlmConnection, None]:
        yield Connection()


class Connection(BaseLlmConnection):
    """One conversation; nothing is remembered."""

    def __init__(self) -> None:
        self._scripts: list[str | None] = []
        self._told = asyncio.Event()

    async def send_history(self, history: list[types.Content]) -> None:
        pass

    async def send_content(self, content: types.Content) -> None:
        self._tell(content.parts[0].text)

    async def send_realtime(self, blob: types.Blob) -> None:
        pass

    async def receive(self) -> AsyncGenerator[LlmResponse, None]:
        while not self._scripts:
            self._told.clear()
            await self._told.wait()
        if (script := self._scripts.pop(0)) is not None:
            for message in _turn(script):
                await asyncio.sleep(0)
                yield message

    async def close(self) -> None:
        self._tell(None)

    def _tell(self, script: str | None) -> None:
        self._scripts.append(script)
        self._told.set()


def live_agent() -> LlmAgent:
    """Return a fresh agent; each server owns one."""
    return LlmAgent(name=APP_NAME, model=LiveModel(), instruction="Help.", tools=[look_up])


def _turn(script: str) -> Iterator[LlmResponse]:
    kind, _, size = script.partition(" ")
    words = (f"{i} " if kind == "count" else WORDS[i % len(WORDS)] for i in range(int(size)))
    yield from (_spoken if kind == "speech" else _written)(list(words))
    yield LlmResponse(turn_complete=True, usage_metadata=USAGE)


def _written(words: list[str]) -> Iterator[LlmResponse]:
    for word in words:
        yield LlmResponse(content=_content(types.Part(text=word)), partial=True)
    yield LlmResponse(content=_content(types.Part(text="".join(words))), partial=False)


def _spoken(words: list[str]) -> Iterator[LlmResponse]:
    for word in words:
        yield LlmResponse(content=_content(types.Part(inline_data=SOUND)))
        written = types.Transcription(text=word, finished=False)
        yield LlmResponse(output_transcription=written, partial=True)
    written = types.Transcription(text="".join(words), finished=True)
    yield LlmResponse(output_transcription=written, partial=False)


def _content(part: types.Part) -> types.Content:
    return types.Content(role="model", parts=[part])
