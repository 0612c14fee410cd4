"""One live chat with an agent on a real ADK runner, in memory; its events as lines of text."""

import ast
import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Self

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.events.event import Event
from google.adk.live.live_request_queue import LiveRequestQueue
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

TEXT = RunConfig(response_modalities=[types.Modality.TEXT])
RESUMABLE = RunConfig(
    response_modalities=[types.Modality.TEXT],
    session_resumption=types.SessionResumptionConfig(),
)


class LiveConversation:
    """A chat whose live runs are `async with` blocks: send, then read on to some event."""

    def __init__(self, agent: LlmAgent, config: RunConfig = TEXT) -> None:
        sessions = InMemorySessionService()
        self._runner = Runner(
            app_name="app", agent=agent, session_service=sessions, auto_create_session=True
        )
        self._config = config
        self._names: dict[str, str] = {}
        self.events: list[Event] = []

    async def __aenter__(self) -> Self:
        self.queue = LiveRequestQueue()
        self._live: AsyncGenerator[Event, None] = self._runner.run_live(
            user_id="alice",
            session_id="chat",
            live_request_queue=self.queue,
            run_config=self._config,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        async with asyncio.timeout(60), aclosing(self._live):
            pass

    def send(self, text: str) -> None:
        """Type a message."""
        self.queue.send_content(types.Content(role="user", parts=[types.Part(text=text)]))

    def give(self, call: str, result: dict[str, Any], **more: Any) -> None:
        """Hand in the result of a call that is named as in the lines, such as `add#1`."""
        response = types.FunctionResponse(
            id=self.id_of(call), name=call.partition("#")[0], response=result, **more
        )
        part = types.Part(function_response=response)
        self.queue.send_content(types.Content(role="user", parts=[part]))

    async def until(self, start: str) -> list[str]:
        """The events up to the first whose line starts so; with "end" if there is none."""
        lines: list[str] = []
        async with asyncio.timeout(60):
            async for event in self._live:
                self.events.append(event)
                lines.append(self._line(event))
                if lines[-1].startswith(start):
                    return lines
        return [*lines, "end"]

    async def turn(self, text: str) -> list[str]:
        """Type a message and read the turn that answers it."""
        self.send(text)
        return await self.until("turn_complete")

    async def end(self) -> list[str]:
        """Close the queue; the events that were still to come."""
        self.queue.close()
        return await self.until("end")

    async def ask(self, text: str) -> str:
        """Type a message in request mode; returns the answer."""
        message = types.Content(role="user", parts=[types.Part(text=text)])
        run = self._runner.run_async(user_id="alice", session_id="chat", new_message=message)
        parts = [part async for event in run for part in _parts(event)]
        return "".join(part.text or "" for part in parts)

    async def store(self, response: types.FunctionResponse) -> None:
        """Put the result of a live call into the session between two runs.

        ADK drops it from what the model sees unless it is marked as live, as the call is.
        """
        service = self._runner.session_service
        session = await service.get_session(app_name="app", user_id="alice", session_id="chat")
        assert session is not None
        part = types.Part(function_response=response)
        content = types.Content(role="user", parts=[part])
        event = Event(author="root", content=content, live_session_id="earlier")
        await service.append_event(session, event)

    def id_of(self, name: str) -> str:
        """The call id behind a name such as `add#1`; an unknown name is its own id."""
        return next((key for key, known in self._names.items() if known == name), name)

    def _line(self, event: Event) -> str:
        said = self._written(event) or "; ".join(map(self._part, _parts(event)))
        line = said or _control(event)
        line = f"{line} interrupted".strip() if event.interrupted else line
        return f"partial {line}" if event.partial else line

    def _written(self, event: Event) -> str:
        for verb, written in (
            ("heard", event.input_transcription),
            ("spoke", event.output_transcription),
        ):
            if written is not None:
                return f"{verb} {written.text!r}"
        return ""

    def _part(self, part: types.Part) -> str:
        if call := part.function_call:
            return f"call {self._name(call.id, call.name)} {json.dumps(call.args)}"
        if result := part.function_response:
            return f"result {self._name(result.id, result.name)} {json.dumps(result.response)}"
        if blob := part.inline_data:
            return f"{blob.mime_type}"
        return f"{'thought' if part.thought else 'text'} {part.text!r}"

    def _name(self, call_id: str | None, name: str | None) -> str:
        known = self._names.get(call_id or "")
        if known is None:
            number = sum(other.partition("#")[0] == name for other in self._names.values())
            known = self._names[call_id or ""] = f"{name}#{number + 1}"
        return known


def echoed(line: str) -> dict[str, Any]:
    """The answer to `/echo` in a line."""
    return json.loads(ast.literal_eval(line.removeprefix("text ")))


def merged(lines: list[str]) -> list[str]:
    """The lines without the deltas."""
    return [line for line in lines if not line.startswith("partial ")]


def _parts(event: Event) -> list[types.Part]:
    return (event.content.parts or []) if event.content else []


def _control(event: Event) -> str:
    if event.turn_complete:
        reason = event.turn_complete_reason
        return f"turn_complete {reason.value}" if reason else "turn_complete"
    if event.live_session_resumption_update:
        return "handle"
    return "usage" if event.usage_metadata else ""
