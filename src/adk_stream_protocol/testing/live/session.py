"""The scripted model at the other end of a live connection.

ADK's own `GeminiLlmConnection` stands on this as it stands on google-genai's `AsyncSession`, so
whatever it makes of the messages of a real model, it makes of the scripted one.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from uuid import uuid4

from google.genai import types
from websockets.exceptions import ConnectionClosedOK

from adk_stream_protocol.testing import holds
from adk_stream_protocol.testing.live.dialogue import Dialogue
from adk_stream_protocol.testing.live.playback import Burst
from adk_stream_protocol.testing.script.actions import Hang, Hold, Release

# ADK sends this after a history that needs an answer: Gemini 3.x waits for new input.
_TRIGGER = "."


class ScriptedSession:
    """One connection to one dialogue. Nothing runs between two calls of `receive`."""

    def __init__(
        self, dialogue: Dialogue, delay: float, new_handle: Callable[[], str] | None = None
    ) -> None:
        self.session_id = uuid4().hex
        self._dialogue = dialogue
        self._delay = delay
        self._new_handle = new_handle
        self._outbox: deque[types.LiveServerMessage] = deque()
        self._input = asyncio.Event()
        self._closed = False
        self._triggers = False
        self._offer_handle()

    async def send_client_content(
        self, *, turns: Sequence[types.Content], turn_complete: bool = True
    ) -> None:
        """Send what was said before; `turn_complete` if it needs an answer."""
        self._notice()
        self._dialogue.remember(turns)
        self._triggers = turn_complete and self._dialogue.config.calls_at_once
        if turn_complete and not self._triggers:
            self._dialogue.replayed()

    async def send(self, *, input: types.LiveClientContent) -> None:
        """Send a message, or the beginning of one."""
        self._notice()
        parts = [part for content in input.turns or [] for part in content.parts or []]
        self._dialogue.type(parts, complete=bool(input.turn_complete))

    async def send_tool_response(
        self, *, function_responses: Sequence[types.FunctionResponse]
    ) -> None:
        """Send results of calls."""
        self._notice()
        self._dialogue.respond(function_responses)

    async def send_realtime_input(
        self,
        *,
        media: types.Blob | None = None,
        audio: types.Blob | None = None,
        audio_stream_end: bool | None = None,
        video: types.Blob | None = None,
        text: str | None = None,
        activity_start: types.ActivityStart | None = None,
        activity_end: types.ActivityEnd | None = None,
    ) -> None:
        """Send speech, its limits, or a message; pictures are not looked at."""
        self._notice()
        sound = audio or media
        if sound is not None and (sound.mime_type or "").startswith("audio/"):
            self._dialogue.hear(sound.data or b"")
        if activity_start is not None:
            self._dialogue.speech_began()
        if activity_end is not None or audio_stream_end:
            self._dialogue.speech_ended()
        if text is not None:
            self._message(text)

    async def receive(self) -> AsyncGenerator[types.LiveServerMessage, None]:
        """Yield the messages up to the end of a turn; none once the connection is closed."""
        while (message := await self._next_message()) is not None:
            content = message.server_content
            ends = content is not None and bool(content.turn_complete)
            if ends:
                self._offer_handle()
            if message.go_away is not None:
                await self.close()
            yield message
            if ends:
                return

    async def close(self) -> None:
        """End the connection; the dialogue can be resumed if it has a handle."""
        self._closed = True
        self._input.set()

    async def _next_message(self) -> types.LiveServerMessage | None:
        while not self._closed:
            if self._outbox:
                return self._outbox.popleft()
            await asyncio.sleep(self._delay)
            if not self._closed:
                await self._advance()
        return None

    async def _advance(self) -> None:
        self._input.clear()
        match self._dialogue.advance():
            case None:
                await self._input.wait()
            case Hang(seconds):
                await self._silence(seconds)
            case Hold(name):
                with holds.told_of(name, self._input.set):
                    await self._silence(None, lambda: holds.is_released(name))
            case Release(name):
                holds.release(name)
            case Burst(messages):
                self._outbox.extend(messages)
            case fault:
                await self.close()
                raise fault

    async def _silence(self, seconds: float | None, is_over: Callable[[], bool] = bool) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (self._closed or self._dialogue.interrupts() or is_over()):
                    self._input.clear()
                    await self._input.wait()
        if self._dialogue.interrupts():
            self._dialogue.interrupt()

    def _message(self, text: str) -> None:
        if self._triggers and text == _TRIGGER:
            self._dialogue.replayed()
        else:
            self._dialogue.type([types.Part(text=text)])
        self._triggers = False

    def _notice(self) -> None:
        if self._closed:
            raise ConnectionClosedOK(None, None)
        self._input.set()

    def _offer_handle(self) -> None:
        if self._new_handle is not None:
            update = types.LiveServerSessionResumptionUpdate(
                new_handle=self._new_handle(), resumable=True
            )
            self._outbox.append(types.LiveServerMessage(session_resumption_update=update))
