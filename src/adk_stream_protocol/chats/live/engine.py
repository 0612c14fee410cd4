"""LiveEngine: one chat on ADK's `run_live`. Turns come and go; the run goes on behind them.

The pump consumes events as they arrive and never waits for a slow browser.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

from google.adk.events.event import Event
from google.genai import types

from adk_stream_protocol.adk.live_queue import LiveQueue
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.adk.session_reader import SessionReader
from adk_stream_protocol.adk.task_context import Run, bind_to_task
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chats.engine import RunnableChat
from adk_stream_protocol.chats.live.link import LiveLink
from adk_stream_protocol.chats.live.settings import LiveSettings
from adk_stream_protocol.chats.live.socket_slot import SocketSlot
from adk_stream_protocol.chats.live.turns import LiveTurns
from adk_stream_protocol.chats.turn import Turn, new_message_id
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.events import has_waiting_calls
from adk_stream_protocol.errors import LinkLost
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.telemetry.turns import LiveSessionTelemetry

logger = logging.getLogger(__name__)

RESULT_SECONDS = 5.0  # how long the result of a finished tool may be on its way to the session
READ_SECONDS = 60.0  # how long a run goes on for somebody who reads it without a socket


class LiveEngine:
    """The live run of one chat, from its first message until nobody needs it."""

    is_live = True

    def __init__(self, chat: RunnableChat, sessions: SessionReader, settings: LiveSettings) -> None:
        self._chat = chat
        self._sessions = sessions
        self._settings = settings
        self._tasks = BackgroundTasks()
        self.socket = SocketSlot(settings.disconnect_grace, self._grace_ended)
        self._queue = LiveQueue(self._break)
        self._turns = LiveTurns(
            chat, audio=settings.audio, events=self._turn_events, on_own=self.socket.announce
        )
        self._task: asyncio.Task[None] | None = None
        self._opened: OpenTurn | None = None
        self._invocation_id = ""
        self._reserved: Turn | None = None
        self._broken: Exception | None = None
        self._event_taken: asyncio.Event | None = None
        self.is_closing = self._has_ended = False
        self.observed = LiveSessionTelemetry(chat.id.chat)
        self.link = LiveLink(
            settings, self._turns, self._queue, chat.lock, self._tasks, self._read_if_open
        )

    async def say(self, said: TurnInput, style: ApprovalStyleName) -> Turn:
        """Open a turn with a new user message. It cancels what is open."""
        assert said.content is not None
        self._turns.refuse_second()
        self._turns.style = style
        turn = self._turns.reserve(interrupts=True)
        try:
            opened = await self._start_or_read(said.content)
            self.link.send_cancelled(await opened.cancel_open())
        except BaseException:
            self._chat.drop(turn)
            raise
        self._turns.install(turn, new_message_id())
        self.link.send(said.content)
        return turn

    async def read(self) -> OpenTurn | None:
        """Read what the client may answer. None if nothing was said in this run yet."""
        return await self._start_or_read() if self._opened else None

    def made(self, calls: Iterable[Call]) -> bool:
        """Return whether all these calls are of this run."""
        return all(call.invocation_id == self._invocation_id for call in calls)

    def reserve(self, style: ApprovalStyleName) -> Turn:
        """Begin the turn that answers open. A turn that the server began ends."""
        self._turns.style = style
        turn = self._reserved = self._turns.reserve()
        return turn

    def abandon(self) -> None:
        """Forget the turn that was begun for answers which are refused, if there is one."""
        if self._reserved:
            self._chat.drop(self._reserved)
            self._reserved = None

    async def answer(
        self, turn: Turn, opened: OpenTurn, plan: Plan, said: TurnInput, style: ApprovalStyleName
    ) -> None:
        """Go on where the chat waited: results go to the model, decisions have woken the gate."""
        content = await opened.keep_results(plan)
        encoder = self._turns.install(
            turn,
            said.message_id,
            calls=opened.calls_before(plan.repeated) if plan.is_replay else opened.calls,
            held=opened.held_text(plan) if plan.is_replay and style == "adk-tool" else (),
            after=None if plan.is_replay else self._turns.encoder,
        )
        if plan.is_replay:
            turn.put(encoder.replay(plan, opened.answered_events(plan.repeated)))
        else:
            turn.put(encoder.answers(plan))
        if content:
            self.link.send(content)
        self._reserved = None
        self._turns.end_if_idle(is_due=content is not None)
        self.link.deadlines.watch()

    async def speak(self, pcm: bytes | None) -> None:
        """Send a piece of the user's speech, 16 kHz PCM; None when it is over."""
        async with self._chat.lock:
            await self._start_or_read()
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
        if not self._has_ended:  # the run was never started, or its task had no first step
            self._over(None)

    def _turn_events(self) -> list[Event]:
        return self._opened.turn_events() if self._opened else []

    def _grace_ended(self) -> None:
        self._tasks.spawn(self._give_up())

    async def _give_up(self) -> None:
        """Close after the grace period. A client that answered over HTTP reads its turn first."""
        while not (self.is_closing or self.socket.is_attached):
            openings = self._chat.openings
            await self._tools_done()
            if turn := self._turns.open:
                await turn.drain(READ_SECONDS)
            await self.close(unless=partial(self._is_used, since=openings))

    def _is_used(self, since: int) -> bool:
        return self.socket.is_attached or self._chat.openings != since

    async def _quiet(self) -> None:
        """Wait until no tool runs, and no turn is being opened that could start one."""
        openings = -1
        while openings != self._chat.openings:
            openings = self._chat.openings
            await self._tools_done()
            async with self._chat.lock:
                pass

    async def _tools_done(self) -> None:
        """Wait until no tool runs, and the results of all are stored."""
        if self._opened is None:
            return
        await self._chat.calls.none_running()
        with suppress(TimeoutError):
            async with asyncio.timeout(RESULT_SECONDS):
                taken = self._event_taken = self._event_taken or asyncio.Event()
                while self._turns.encoder.calls.running():
                    taken.clear()
                    await taken.wait()
        await self._chat.calls.none_running()

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None:
        """Queue a data part of the application, from whatever thread a tool runs in."""
        if turn := self._turns.open:
            turn.put_data(name, data, id, transient)

    async def _start_or_read(self, said: types.Content | None = None) -> OpenTurn:
        """Read the chat as this run has it. The first time, start the run with it."""
        if self._opened:
            return await self._sessions.of(self._opened.session, self._chat.calls)
        await self._chat.lease.acquire(for_socket=True)
        opened = await self._sessions.read_or_create(self._chat, said)
        if said:
            await opened.cancel_open()
        await opened.close_gap(self._settings.runner.agent.name)
        opened.hand_over()
        self._opened = opened
        self._task = asyncio.create_task(self._pump())
        return opened

    async def _read_if_open(self) -> OpenTurn | None:
        return None if self.is_closing else await self._start_or_read()

    async def _pump(self) -> None:
        chat = self._chat
        bind_to_task(Run(chat.id, chat.calls, self.observed, self.put_data, self.link))
        error: Exception | None
        try:
            events = self._settings.runner.run_live(
                user_id=self._chat.id.user,
                session_id=self._chat.id.chat,
                live_request_queue=self._queue,
                run_config=self._settings.run_config,
            )
            async with aclosing(events):
                async for event in events:
                    if self._chat.lock.locked():
                        async with self._chat.lock:
                            self._consume(event)
                    else:
                        self._consume(event)
            error = LinkLost("the model ended the conversation")
        except asyncio.CancelledError:
            error = self._broken
        except Exception as failure:
            log_failure(logger, failure, "the live run of a chat failed")
            error = failure
        async with self._chat.lock:  # a turn that is being opened ends with the run, too
            self._over(error)

    def _consume(self, event: Event) -> None:
        if self._event_taken:
            self._event_taken.set()
        self._invocation_id = event.invocation_id
        self._turns.encode(event)
        if has_waiting_calls(event):
            self.link.deadlines.watch()
        if event.actions.transfer_to_agent:
            self.link.handed_over()

    def _break(self) -> None:
        """End the run: nothing that is sent reaches the model any more."""
        self._broken = LinkLost("the link to the model takes nothing any more")
        if self._task:
            self._task.cancel()

    def _over(self, error: Exception | None) -> None:
        self.is_closing = True
        self.link.deadlines.stop()
        self.socket.stop()
        if not self._has_ended:
            self._has_ended = True
            self._chat.live_ended()
        self.observed.end(error, len(self._turns.encoder.calls.open()))
        self._turns.fail(error)
