"""One chat with an agent on a real ADK runner, in memory."""

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import (
    RunConfig,
    StreamingMode,  # pyright: ignore[reportPrivateImportUsage]
)
from google.adk.apps import App, ResumabilityConfig
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

CONFIRMATION = "adk_request_confirmation"


class Conversation:
    """Sends messages and answers; keeps what the last run yielded in `events`."""

    def __init__(self, agent: LlmAgent, *, streaming: bool = True) -> None:
        app = App(
            name="app",
            root_agent=agent,
            resumability_config=ResumabilityConfig(is_resumable=True),
        )
        self._sessions = InMemorySessionService()
        self._runner = Runner(app=app, session_service=self._sessions)
        mode = StreamingMode.SSE if streaming else StreamingMode.NONE
        self._config = RunConfig(streaming_mode=mode)
        self._started = False
        self.events: list[Event] = []

    async def say(self, text: str) -> str:
        """Send a message; returns the answer."""
        return await self._run([types.Part(text=text)])

    async def decide(self, *verdicts: bool) -> str:
        """Answer the open confirmation requests, in their order."""
        requests = self.calls(CONFIRMATION)
        answers = zip(requests, verdicts, strict=True)
        return await self._run([_response(call, {"confirmed": yes}) for call, yes in answers])

    async def give(self, name: str, result: dict[str, Any]) -> str:
        """Hand in the result of a browser tool."""
        (call,) = self.calls(name)
        return await self._run([_response(call, result)])

    def calls(self, name: str | None = None) -> list[types.FunctionCall]:
        """The complete calls of the last run."""
        complete = [event for event in self.events if not event.partial]
        calls = [call for event in complete for call in event.get_function_calls()]
        return [c for c in calls if (c.name == name if name else c.name != CONFIRMATION)]

    def results(self) -> list[dict[str, Any]]:
        """The results of the last run, placeholders of open confirmations included."""
        return [r.response or {} for event in self.events for r in event.get_function_responses()]

    def partials(self) -> list[types.Part]:
        """The parts that were streamed in the last run."""
        return [part for event in self.events if event.partial for part in parts_of(event)]

    async def _run(self, parts: list[types.Part]) -> str:
        if not self._started:
            self._started = True
            await self._sessions.create_session(app_name="app", user_id="alice", session_id="chat")
        self.events = []
        async for event in self._runner.run_async(
            user_id="alice",
            session_id="chat",
            new_message=types.Content(role="user", parts=parts),
            run_config=self._config,
        ):
            self.events.append(event)
        complete = [part for event in self.events if not event.partial for part in parts_of(event)]
        return "".join(part.text for part in complete if part.text and not part.thought)


def parts_of(event: Event) -> list[types.Part]:
    """The parts of an event, if any."""
    return (event.content.parts or []) if event.content else []


def _response(call: types.FunctionCall, response: dict[str, Any]) -> types.Part:
    return types.Part(
        function_response=types.FunctionResponse(id=call.id, name=call.name, response=response)
    )
