"""LiveLink: the run's end of the link to the model.

It knows the tools of the moment and closes calls that end without an answer: withdrawn, expired,
or handed over.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.genai import types

from adk_stream_protocol.adk.live_queue import LiveQueue
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.approvals.record import State
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chats.live.settings import LiveSettings
from adk_stream_protocol.chats.live.turns import LiveTurns
from adk_stream_protocol.clock import steady_clock
from adk_stream_protocol.convert import tool_responses
from adk_stream_protocol.convert.calls import Call


class LiveLink:
    """Sends to the model, and closes the calls that nobody answers."""

    def __init__(
        self,
        settings: LiveSettings,
        turns: LiveTurns,
        queue: LiveQueue,
        lock: asyncio.Lock,
        tasks: BackgroundTasks,
        read: Callable[[], Awaitable[OpenTurn | None]],
    ) -> None:
        self.tells_model = settings.parallel
        self.tools: dict[str, BaseTool] = {}
        self.unsent: list[types.Content] = []
        self._turns = turns
        self._queue = queue
        self._lock = lock
        self._read = read
        """Reads the chat as the run has it; None once the run ends."""
        self._tasks = tasks
        self.deadlines = Deadlines(settings.client_tool_ttl, self._due, self._late)

    @property
    def message_id(self) -> str:
        """The id of the message that the next event belongs to."""
        return self._turns.encoder.message_id or ""

    def connected(self, tools: dict[str, BaseTool], *, sends_calls_immediately: bool) -> None:
        """Begin a new link to the model, with the tools that it may call."""
        self.tools = tools
        self._turns.progress.connected(sends_calls_immediately=sends_calls_immediately)

    def fell_silent(self) -> None:
        """End a turn that waits: the model says no more for now."""
        self._turns.end_if_waiting()

    def withdrawn(self, call_ids: list[str]) -> None:
        """Close calls that the model took back."""
        self._tasks.spawn(self._close(set(call_ids), tool_responses.withdrawn()))

    def handed_over(self) -> None:
        """Close what waits as another agent takes over: ADK ends it silently (google-adk 2.13)."""
        self.withdrawn([call.id for call in self._turns.encoder.calls.open() if not call.browser])

    def decided(self, call_id: str, state: State) -> None:
        """Show the decision on a gated call to its turn, if the decision came past this chat."""
        if state in (State.APPROVED, State.DENIED) and not self._lock.locked():
            self._turns.decided(call_id, state is State.APPROVED)

    def call_ended(self, call_id: str) -> None:
        """Close a gated call whose task ended without a result: ADK has swallowed why."""
        call = self._turns.encoder.calls.by_id.get(call_id)
        if call and call.response is None:
            self._tasks.spawn(self._close_unfinished(call_id))

    def send(self, content: types.Content) -> None:
        """Say something to the model that it has to answer."""
        self._queue.say(content)
        self._turns.progress.sent()

    def send_cancelled(self, calls: list[Call]) -> None:
        """Tell a model that goes on while a call waits that it is over. It says nothing to it."""
        for call in calls if self.tells_model else ():
            self._queue.say(tool_responses.cancelled_silently(call))

    async def _close(self, call_ids: set[str], outcome: dict[str, Any]) -> None:
        """Close open calls that no answer can lead anywhere any more."""
        async with self._lock:
            if opened := await self._read():
                for call in await opened.close_calls(call_ids, outcome):
                    self._turns.settle(call)

    async def _close_unfinished(self, call_id: str) -> None:
        async with self._lock:
            opened = await self._read()
            call = opened and await opened.close_unfinished(call_id)
            if call:
                part = tool_responses.response_part(call, call.response or {})
                self.send(tool_responses.user_content([part]))
                self._turns.settle(call)

    def _due(self) -> list[Call]:
        return [call for call in self._turns.encoder.calls.open() if call.waits_for_result]

    def _late(self, calls: list[Call]) -> None:
        self._tasks.spawn(self._expire(calls))

    async def _expire(self, calls: list[Call]) -> None:
        self._turns.progress.sent()
        await self._close({call.id for call in calls}, tool_responses.expired())
        parts = [tool_responses.response_part(call, tool_responses.expired()) for call in calls]
        self.send(tool_responses.user_content(parts))


class Deadlines:
    """One timer for the next browser call whose time is over: no request comes to look at it."""

    def __init__(
        self, ttl: float, waiting: Callable[[], list[Call]], on_late: Callable[[list[Call]], None]
    ) -> None:
        self._ttl = ttl
        self._waiting = waiting
        self._on_late = on_late
        self._timer: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        """Set the timer for what waits now."""
        self.stop()
        if left := [self._seconds_left(call) for call in self._waiting()]:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, min(left)), self._expire)

    def stop(self) -> None:
        """Let no more calls expire."""
        if self._timer:
            self._timer.cancel()

    def _seconds_left(self, call: Call) -> float:
        return call.asked_at + (call.ttl or self._ttl) - steady_clock.now()

    def _expire(self) -> None:
        if late := [call for call in self._waiting() if self._seconds_left(call) <= 0]:
            self._on_late(late)
        else:
            self.watch()
