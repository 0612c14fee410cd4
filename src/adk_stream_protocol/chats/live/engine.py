"""LiveRun: one chat on ADK's `run_live`. Turns come and go; the run goes on behind them.

Its pump takes every event at once and never waits for a browser.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.adk.live_model import current_link
from adk_stream_protocol.adk.live_queue import LiveQueue
from adk_stream_protocol.adk.open_turn import History
from adk_stream_protocol.adk.session_reader import Histories
from adk_stream_protocol.adk.task_context import enter
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chats.answering import (
    chunks_of,
    needing_the_store,
    plan_answers,
    replay_of,
)
from adk_stream_protocol.chats.failures import LinkLost
from adk_stream_protocol.chats.live.calls import LiveCalls
from adk_stream_protocol.chats.live.settings import LiveSettings
from adk_stream_protocol.chats.live.socket_slot import Attachment
from adk_stream_protocol.chats.live.turns import LiveTurns, new_message_id
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.chats.turns import Key, Turns
from adk_stream_protocol.chats.workers import Workers
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.telemetry.turns import ObservedRun

logger = logging.getLogger(__name__)

RESULT_SECONDS = 5.0  # how long the result of a finished tool may be on its way to the session
READ_SECONDS = 60.0  # how long a run goes on for somebody who reads it without a socket


class LiveRun:
    """One chat's live run, from its first message until nobody needs it."""

    def __init__(
        self,
        key: Key,
        turns: Turns,
        settings: LiveSettings,
        histories: Histories,
        workers: Workers,
        on_end: Callable[["LiveRun"], None],
    ) -> None:
        self.chat = key
        self._settings = settings
        self._histories = histories
        self._workers = workers
        self._on_end = on_end
        self._jobs = BackgroundTasks()
        self.socket = Attachment(settings.disconnect_grace, self._left)
        self._queue = LiveQueue(self._break)
        self._turns = LiveTurns(
            key,
            turns,
            audio=settings.audio,
            events=self._turn_events,
            on_own=self.socket.announce,
        )
        self._lock = asyncio.Lock()
        """Held while a turn is opened: the events that its answers lead to belong to it."""
        self._task: asyncio.Task[None] | None = None
        self._history: History | None = None
        self._invocation_id = ""
        self._broken: Exception | None = None
        self._calls = LiveCalls(
            settings, self._turns, self._queue, self._lock, self._jobs, self._open_history
        )
        self._took: asyncio.Event | None = None
        self._openings = 0
        self.is_closing = False
        self.observed = ObservedRun(key[1])

    @property
    def message_id(self) -> str:
        """The id of the message that the next event belongs to."""
        return self._turns.encoder.message_id or ""

    async def open_turn(
        self, who: Principal, turn_input: TurnInput, style: ApprovalStyleName
    ) -> Turn | None:
        """A turn of the client's. None: the run ends, or it has not made the calls."""
        async with self._lock:
            if self.is_closing:
                return None
            try:
                with needing_the_store():
                    if turn_input.content:
                        return await self._say(turn_input.content, style)
                    return await self._answer(who, turn_input, style)
            finally:
                self._openings += 1

    async def speak(self, pcm: bytes | None) -> None:
        """A piece of the user's speech, 16 kHz PCM; None when it is over."""
        async with self._lock:
            await self._ensure_started()
        self._queue.speak(pcm)

    def stop(self) -> bool:
        """End the open turn, if there is one."""
        return self._turns.stop()

    async def close(
        self, patience: float | None = None, *, unless: Callable[[], bool] = bool
    ) -> None:
        """End the run. A tool that is running is waited for; calls that wait stay open."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._quiet()
        if unless():
            return
        self.is_closing = True
        self._queue.close()
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        else:
            self._over(None)

    def _turn_events(self) -> list[Event]:
        return self._history.turn_events() if self._history else []

    def _left(self) -> None:
        self._jobs.spawn(self._give_up())

    async def _give_up(self) -> None:
        """Nobody has come back. Who answers without a socket is let read the end of it."""
        while not (self.is_closing or self.socket.is_attached):
            openings = self._openings
            await self._tools_done()
            if turn := self._turns.open:
                await turn.read_out(READ_SECONDS)
            await self.close(unless=partial(self._is_used, since=openings))

    def _is_used(self, since: int) -> bool:
        return self.socket.is_attached or self._openings != since

    async def _quiet(self) -> None:
        """No tool runs any more, and no turn is being opened that could start one."""
        openings = -1
        while openings != self._openings:
            openings = self._openings
            await self._tools_done()
            async with self._lock:
                pass

    async def _tools_done(self) -> None:
        """No tool runs any more, and what came of them is stored."""
        if (history := self._history) is None:
            return
        await history.tools_done()
        with suppress(TimeoutError):
            async with asyncio.timeout(RESULT_SECONDS):
                took = self._took = self._took or asyncio.Event()
                while self._turns.encoder.calls.running():
                    took.clear()
                    await took.wait()
        await history.tools_done()

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None:
        """A part of the application's own, from whatever thread a tool runs in."""
        if turn := self._turns.open:
            turn.put_data(name, data, id, transient)

    async def _say(self, content: types.Content, style: ApprovalStyleName) -> Turn:
        """A new message of the user's. What was still open is cancelled by it."""
        self._turns.refuse_second()
        self._turns.style = style
        turn = self._turns.reserve(interrupts=True)
        try:
            history = await self._ensure_started(content)
            self._calls.tell_cancelled(await history.cancel_open())
        except BaseException:
            self._turns.release(turn)
            raise
        self._turns.install(turn, new_message_id())
        self._calls.tell(content)
        return turn

    async def _answer(
        self, who: Principal, turn_input: TurnInput, style: ApprovalStyleName
    ) -> Turn | None:
        """Answers to open calls; the turn goes on where it waited."""
        if self._history is None:
            return None
        history = await self._ensure_started()
        plan = await plan_answers(history, turn_input.answers, self._settings.runner.agent)
        if any(call.invocation_id != self._invocation_id for call in plan.calls):
            return None
        if plan.is_repeat and (running := self._turns.open) and running.is_whole:
            return running  # what these answers lead to is on its way
        self._turns.style = style
        turn = self._turns.reserve()
        turn.earlier = history.earlier(style, plan)
        try:
            await turn.observed.over(history.commit(plan, who, live=True))
            turn.observed.goes_on_with(plan.calls)
            content = await history.keep_results(plan)
        except BaseException:
            self._turns.release(turn)
            raise
        encoder = self._turns.install(
            turn,
            turn_input.message_id,
            calls=history.calls_before(plan.repeats) if plan.is_replay else history.calls,
            held=history.held_text(plan) if plan.is_replay and style == "adk-tool" else (),
            after=None if plan.is_replay else self._turns.encoder,
        )
        is_new = not plan.is_replay
        turn.put(chunks_of(plan, encoder) if is_new else replay_of(plan, history, encoder))
        if content:
            self._calls.tell(content)
        self._turns.end_if_idle(is_due=content is not None)
        self._calls.deadlines.watch()
        return turn

    async def _ensure_started(self, said: types.Content | None = None) -> History:
        """The conversation as this run has it; the run is started with it at first."""
        if self._history:
            return await self._histories.of(self._history.session)
        await self._workers.take(self.chat, live=True)
        history = await self._histories.read_or_create(self.chat, said)
        if said:
            await history.cancel_open()
        await history.close_gap(self._settings.runner.agent.name)
        history.hand_over()
        self._history = history
        self._task = asyncio.create_task(self._pump())
        return history

    async def _open_history(self) -> History | None:
        return None if self.is_closing else await self._ensure_started()

    async def _pump(self) -> None:
        enter(self)
        current_link.set(self._calls)
        error: Exception | None
        try:
            events = self._settings.runner.run_live(
                user_id=self.chat[0],
                session_id=self.chat[1],
                live_request_queue=self._queue,
                run_config=self._settings.run_config,
            )
            async with aclosing(events):
                async for event in events:
                    if self._lock.locked():
                        async with self._lock:
                            self._take(event)
                    else:
                        self._take(event)
            error = LinkLost("the model ended the conversation")
        except asyncio.CancelledError:
            error = self._broken
        except Exception as failure:
            logger.exception("the live run of a chat failed")
            error = failure
        async with self._lock:  # a turn that is being opened ends with the run, too
            self._over(error)

    def _take(self, event: Event) -> None:
        if self._took:
            self._took.set()
        self._invocation_id = event.invocation_id
        self._turns.take(event)
        if event.long_running_tool_ids:
            self._calls.deadlines.watch()
        if event.actions.transfer_to_agent:
            self._calls.handed_over()

    def _break(self) -> None:
        """Nothing that is sent reaches the model any more."""
        self._broken = LinkLost("the link to the model takes nothing any more")
        if self._task:
            self._task.cancel()

    def _over(self, error: Exception | None) -> None:
        self.is_closing = True
        self._calls.deadlines.stop()
        self.socket.stop()
        self._workers.give(self.chat)
        self._on_end(self)
        self.observed.end(error, len(self._turns.encoder.calls.open()))
        self._turns.fail(error)
