"""Plays a live scenario with ADK alone: run_live, ADK's Gemini class, and a user who acts."""

import asyncio
import base64
from contextlib import aclosing
from pathlib import Path

from google.adk.agents.live_request_queue import LiveRequestQueue
from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.models.google_llm import Gemini
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from adk_stream_protocol.demo.agent import build_agent
from adk_stream_protocol.demo.wallet import Wallet
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.stand_in.play import PATIENCE, Play
from tests.support.gemini.human import Human
from tests.support.gemini.live_scenario import Action, LiveScenario

_NOT_COMPARED = ("id", "invocationId", "timestamp")
_USER = "local"
_CHAT = "chat"
ENDED: Json = {"ended": True}


class LiveRun:
    """One run_live, its events as they come, and the user's side of it."""

    def __init__(self, scenario: LiveScenario, play: Play, state: Path) -> None:
        self.play = play
        self.events: list[Json] = []
        self.failure: str | None = None
        self._human = Human()
        self._queue = LiveRequestQueue()
        self._run_config = RunConfig.model_validate(scenario.run_config)
        self._runner = _runner(scenario, self._human, state)
        self._came = asyncio.Condition()
        self._read = 0

    async def perform(self, scenario: LiveScenario) -> None:
        """Do what the user does, one thing after another, and wait for the end of the run."""
        await self._remember(scenario.history)
        follower = asyncio.create_task(self._follow())
        try:
            for action in scenario.user:
                async with asyncio.timeout(PATIENCE):
                    assert await self._act(action), f"the run ended before {action}"
            async with asyncio.timeout(PATIENCE):
                await follower
        except (TimeoutError, AssertionError) as error:
            story = "\n".join([repr(error), *self.play.faults, *map(str, self.events)])
            raise AssertionError(story) from error
        finally:
            follower.cancel()
            await asyncio.wait([follower])

    async def _remember(self, history: list[Json]) -> None:
        sessions = self._runner.session_service
        session = await sessions.create_session(
            app_name=self._runner.app_name, user_id=_USER, session_id=_CHAT
        )
        for event in history:
            await sessions.append_event(session, Event.model_validate(event))

    async def _follow(self) -> None:
        events = self._runner.run_live(
            user_id=_USER,
            session_id=_CHAT,
            live_request_queue=self._queue,
            run_config=self._run_config,
        )
        try:
            async with aclosing(events):
                async for event in events:
                    await self._note(_content_of(event))
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"
        await self._note(ENDED)

    async def _note(self, event: Json) -> None:
        async with self._came:
            self.events.append(event)
            self._came.notify_all()

    async def _act(self, action: Action) -> bool:
        """Do or await something; false if it can no longer happen."""
        if action.until is not None and not await self._comes(action.until):
            return False
        for call_id, approved in (action.decide or {}).items():
            self._human.decide(call_id, approved)
        if action.signal is not None:
            self.play.signal(action.signal)
        if action.reach is not None:
            assert await asyncio.to_thread(self.play.await_signal, action.reach) is None
        if action.close:
            self._queue.close()
        self._send(action)
        return True

    def _send(self, action: Action) -> None:
        if action.say is not None:
            self._queue.send_content(_user_content(types.Part(text=action.say)))
        if action.audio is not None:
            sound = base64.b64decode(action.audio)
            self._queue.send_realtime(types.Blob(data=sound, mime_type="audio/pcm;rate=16000"))
        if action.image is not None:
            picture = base64.b64decode(action.image)
            self._queue.send_realtime(types.Blob(data=picture, mime_type="image/png"))
        if action.audio_stream_end:
            self._queue.send_audio_stream_end()
        if action.activity == "start":
            self._queue.send_activity_start()
        if action.activity == "end":
            self._queue.send_activity_end()
        if action.result is not None:
            response = types.FunctionResponse.model_validate(action.result)
            self._queue.send_content(_user_content(types.Part(function_response=response)))

    async def _comes(self, wanted: Json) -> bool:
        """Wait for an event that was not waited for before; false if the run ends without it."""
        while True:
            async with self._came:
                await self._came.wait_for(lambda: self._read < len(self.events))
            event = self.events[self._read]
            self._read += 1
            if not Names().differences(wanted, {key: event.get(key) for key in wanted}):
                return True
            if event == ENDED:
                return False


def live_model(name: str) -> Gemini:
    """A live model whose socket reads on while a tool keeps ADK from listening."""
    # By default websockets stops reading after 16 frames, and then misses its own keepalive.
    http_options = {"async_client_args": {"max_queue": 4096}}
    return Gemini(model=name, client_kwargs={"http_options": http_options})


def _runner(scenario: LiveScenario, human: Human, state: Path) -> Runner:
    agent = build_agent(wallet=Wallet(state), model=live_model(scenario.model))
    if scenario.non_blocking:
        for tool in agent.tools:
            if isinstance(tool, FunctionTool):
                tool.behavior = types.Behavior.NON_BLOCKING
    app = App(name=agent.name, root_agent=agent, plugins=[human])
    return Runner(app=app, session_service=InMemorySessionService())


def _user_content(part: types.Part) -> types.Content:
    return types.Content(role="user", parts=[part])


def _content_of(event: Event) -> Json:
    dumped = event.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    return {key: value for key, value in dumped.items() if key not in _NOT_COMPARED}
