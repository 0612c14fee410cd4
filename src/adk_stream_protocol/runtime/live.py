"""LiveRun: one chat on ADK's `run_live`. Turns come and go; the run goes on behind them.

Its pump takes every event at once and never waits for a browser. What the events mean goes into
the turn that is open; if none is, the server begins one of its own.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Protocol

from google.adk.agents.live_request_queue import LiveRequest
from google.adk.agents.run_config import RunConfig
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert import outcomes
from adk_stream_protocol.convert.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.live import LiveProgress, LiveTurnEncoder, is_waiting
from adk_stream_protocol.errors import Busy, StreamProtocolError
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.runtime.answering import chunks_of, needing_the_store, plan_answers
from adk_stream_protocol.runtime.failures import LinkLost, failure_of
from adk_stream_protocol.runtime.history import History
from adk_stream_protocol.runtime.live_model import current_link
from adk_stream_protocol.runtime.live_queue import LiveQueue
from adk_stream_protocol.runtime.turn import Turn, enter
from adk_stream_protocol.runtime.turns import Key, Turns

logger = logging.getLogger(__name__)

SPEECH = "audio/pcm;rate=16000"


class Listener(Protocol):
    """The socket that a chat is on."""

    def turn_started(self, turn: Turn) -> None:
        """The server began a turn of its own."""

    def replaced(self) -> None:
        """The chat was opened elsewhere."""


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """How live chats are run."""

    runner: Runner
    run_config: RunConfig
    parallel: bool = False
    audio: bool = False
    disconnect_grace: float = 30.0
    client_tool_ttl: float = 600.0


class LiveRun:
    """One chat's live run, from its first message until nobody needs it."""

    def __init__(
        self,
        key: Key,
        turns: Turns,
        settings: LiveSettings,
        read: Callable[[Key, "LiveRun | None"], Awaitable[History]],
        on_end: Callable[["LiveRun"], None],
    ) -> None:
        self.chat = key
        self.tells_model = settings.parallel
        self.tools: dict[str, BaseTool] = {}
        self.unsent: list[types.Content] = []
        self._turns = turns
        self._settings = settings
        self._read = read
        self._on_end = on_end
        self._queue = LiveQueue(self._break)
        self._lock = asyncio.Lock()
        self._progress = LiveProgress()
        self._style: ApprovalStyleName = "native"
        self._encoder = LiveTurnEncoder(_new_id(), audio=settings.audio)
        self._turn: Turn | None = None
        self._is_clients = False
        """The open turn was opened by the client, who reads it."""
        self._muted = False
        """The user stopped the model, which goes on speaking all the same."""
        self._task: asyncio.Task[None] | None = None
        self._history: History | None = None
        self._invocation_id = ""
        self._broken: Exception | None = None
        self._listener: Listener | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._jobs: set[asyncio.Task[None]] = set()

    async def open_turn(
        self, who: Principal, turn_input: TurnInput, style: ApprovalStyleName
    ) -> Turn | None:
        """A turn of the client's. None: the answers are to calls that this run has not made."""
        async with self._lock:
            if turn_input.content and self._turn and self._is_clients:
                raise Busy("A turn is already running in this chat.")
            self._style = style
            with needing_the_store():
                if turn_input.content:
                    return await self._say(turn_input.content)
                return await self._answer(who, turn_input)

    async def speak(self, pcm: bytes | None) -> None:
        """A piece of the user's speech, 16 kHz PCM; None when it is over."""
        async with self._lock:
            await self._ensure_started()
        if pcm is None:
            self._queue.send_audio_stream_end()
        else:
            self._queue.send_realtime(types.Blob(data=pcm, mime_type=SPEECH))

    def stop(self) -> bool:
        """End the open turn. What the model still says to it is not passed on."""
        if self._turn is None:
            return False
        self._muted = self._progress.owes
        self._finish(self._encoder.stop())
        return True

    def attach(self, listener: Listener) -> None:
        """A socket has come for this chat. The newest one wins."""
        if self._listener not in (None, listener):
            self._listener.replaced()
        self._listener = listener
        if self._grace:
            self._grace.cancel()
            self._grace = None

    def detach(self, listener: Listener) -> None:
        """The socket is gone. It may come back for a while."""
        if self._listener is listener:
            self._listener = None
            loop = asyncio.get_running_loop()
            self._grace = loop.call_later(self._settings.disconnect_grace, self._give_up)

    async def close(self) -> None:
        """End the run. A tool that is running is waited for; calls that wait stay open."""
        if self._history:
            await self._history.tools_done()
        self._queue.close()
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        else:
            self._over(None)

    def connected(self, tools: dict[str, BaseTool], *, calls_at_once: bool) -> None:
        """There is a new link to the model."""
        self.tools = tools
        self._progress.connected(calls_at_once=calls_at_once)

    def withdrawn(self, call_ids: list[str]) -> None:
        """The model took calls back."""
        self._spawn(self._withdraw(set(call_ids), outcomes.withdrawn()))

    def put_data(self, name: str, data: Any, id: str | None, transient: bool) -> None:
        """A part of the application's own, from whatever thread a tool runs in."""
        if self._turn:
            self._turn.put_data(name, data, id, transient)

    async def _say(self, content: types.Content) -> Turn:
        """A new message of the user's. What was still open is cancelled by it."""
        if self._turn:
            self._finish(self._encoder.finish())
        turn = self._turns.reserve(self.chat)
        try:
            history = await self._ensure_started()
            for call in await history.cancel_open():
                self._tell_silently(call)
        except BaseException:
            self._turns.release(turn)
            raise
        self._install(turn, LiveTurnEncoder(_new_id(), **self._options(turn)))
        self._queue.say(content)
        self._progress.told()
        return turn

    async def _answer(self, who: Principal, turn_input: TurnInput) -> Turn | None:
        """Answers to open calls; the turn goes on where it waited."""
        history = await self._ensure_started()
        plan = await plan_answers(history, turn_input.answers, self._settings.runner.agent)
        if any(call.invocation_id != self._invocation_id for call in plan.calls):
            return None
        if self._turn:
            self._finish(self._encoder.finish())
        turn = self._turns.reserve(self.chat)
        try:
            await history.commit(plan, who, live=True)
            content = await history.keep_results(plan)
        except BaseException:
            self._turns.release(turn)
            raise
        replayed = history.calls_before(plan.repeats) if plan.is_replay else history.calls
        encoder = LiveTurnEncoder(
            turn_input.message_id,
            calls=replayed,
            held=history.held_text() if self._style == "adk-tool" else (),
            **self._options(turn),
        )
        self._install(turn, encoder)
        for event in history.answered_events(plan.repeats) if plan.is_replay else ():
            turn.put(encoder.encode(event))
        turn.put([] if plan.is_replay else chunks_of(plan, encoder))
        if content:
            self._queue.say(content)
            self._progress.told()
        if is_waiting(encoder.calls) or not (content or encoder.calls.running()):
            self._finish(encoder.finish())
        return turn

    async def _ensure_started(self) -> History:
        """The conversation as this run has it; the run is started with it at first."""
        history = await self._read(self.chat, self if self._history else None)
        if self._history is None:
            await history.cancel_open()
            await history.close_gap(self._settings.runner.agent.name)
            history.hand_over()
            self._history = history
            self._task = asyncio.create_task(self._pump())
        return history

    @property
    def session(self) -> Any:
        """The session object of the run: only through it may the session be appended to."""
        assert self._history is not None
        return self._history.session

    async def _pump(self) -> None:
        enter(self)
        current_link.set(self)
        error: Exception | None = LinkLost("the model ended the conversation")
        try:
            events = self._settings.runner.run_live(
                user_id=self.chat[0],
                session_id=self.chat[1],
                live_request_queue=self._queue,
                run_config=self._settings.run_config,
            )
            async with aclosing(events):
                async for event in events:
                    if self._lock.locked():  # a turn is being opened: these belong to it
                        async with self._lock:
                            self._take(event)
                    else:
                        self._take(event)
        except asyncio.CancelledError:
            error = self._broken
        except Exception as failure:
            logger.exception("the live run of a chat failed")
            error = failure
        self._over(error)

    def _take(self, event: Event) -> None:
        encoder = self._encoder
        self._invocation_id = event.invocation_id
        if self._muted:
            self._progress.is_over_after(event, encoder.calls)
            self._muted = not (event.turn_complete or event.interrupted)
            return
        chunks = encoder.encode(event)
        is_over = self._progress.is_over_after(event, encoder.calls)
        turn = self._turn or (self._begin() if chunks else None)
        if turn is None:
            return
        turn.put(chunks)
        if is_over:
            self._finish(encoder.finish())
        if event.actions.transfer_to_agent:
            # ADK ends what waits, without a word to anybody (google-adk 2.13).
            left = {call.id for call in encoder.calls.open() if not call.browser}
            self._spawn(self._withdraw(left, outcomes.withdrawn()))

    def _begin(self) -> Turn | None:
        """A turn that no client asked for."""
        try:
            turn = self._turns.reserve(self.chat)
        except StreamProtocolError:
            return None
        self._install(turn, self._encoder, is_clients=False)
        if self._listener:
            self._listener.turn_started(turn)
        return turn

    def _install(self, turn: Turn, encoder: LiveTurnEncoder, *, is_clients: bool = True) -> None:
        turn.encoder = self._encoder = encoder
        self._turn, self._is_clients = turn, is_clients
        turn.put(encoder.start())

    def _finish(self, closing: list[AnyChunk]) -> None:
        turn, encoder = self._turn, self._encoder
        assert turn is not None
        self._turns.release(turn)
        self._turn = None
        turn.end(closing)
        waiting = bool(encoder.calls.open())
        options = self._options(None)
        if waiting:
            options |= {"calls": encoder.calls, "joins": True}
        self._encoder = LiveTurnEncoder(encoder.message_id if waiting else _new_id(), **options)
        self._watch_deadlines()

    def _options(self, turn: Turn | None) -> dict[str, Any]:
        reference = turn.reference if turn else token_hex(4)
        return {"approvals": self._style, "reference": reference, "audio": self._settings.audio}

    def _tell_silently(self, call: Call) -> None:
        """A model that goes on while a call waits is told that it is over, and says nothing."""
        if self.tells_model:
            part = outcomes.response_part(call, outcomes.cancelled())
            assert part.function_response
            part.function_response.scheduling = types.FunctionResponseScheduling.SILENT
            self._queue.send(LiveRequest(content=outcomes.user_content([part])))

    async def _withdraw(self, call_ids: set[str], outcome: dict[str, Any]) -> None:
        """Close open calls that no answer can lead anywhere any more."""
        async with self._lock:
            history = await self._ensure_started()
            closed = await history.close_calls(call_ids, outcome)
            for call in closed:
                known = self._encoder.calls.by_id.get(call.id)
                if known and (turn := self._turn or self._begin()):
                    known.response = call.response
                    turn.put(self._encoder.settle(known))
            if closed and self._turn and not self._is_clients and not self._progress.owes:
                self._finish(self._encoder.finish())

    def _watch_deadlines(self) -> None:
        """Browser calls have a deadline, and nobody but us looks at it in a live run."""
        if self._deadline:
            self._deadline.cancel()
        ttl = self._settings.client_tool_ttl
        waiting = [call for call in self._encoder.calls.open() if call.waits_for_result]
        if waiting:
            left = min(_seconds_left(call, ttl) for call in waiting)
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(max(0.0, left), self._expire)

    def _expire(self) -> None:
        ttl = self._settings.client_tool_ttl
        calls = self._encoder.calls.open()
        late = {
            call.id for call in calls if call.waits_for_result and _seconds_left(call, ttl) <= 0
        }
        self._spawn(self._expire_calls(late))

    async def _expire_calls(self, call_ids: set[str]) -> None:
        calls = [call for call in self._encoder.calls.open() if call.id in call_ids]
        await self._withdraw(call_ids, outcomes.expired())
        for call in calls:
            self._queue.say(
                outcomes.user_content([outcomes.response_part(call, outcomes.expired())])
            )

    def _break(self) -> None:
        """Nothing that is sent reaches the model any more."""
        self._broken = LinkLost("the link to the model takes nothing any more")
        if self._task:
            self._task.cancel()

    def _give_up(self) -> None:
        self._spawn(self.close())

    def _spawn(self, job: Any) -> None:
        task = asyncio.get_running_loop().create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    def _over(self, error: Exception | None) -> None:
        for timer in (self._grace, self._deadline):
            if timer:
                timer.cancel()
        self._on_end(self)
        if self._turn:
            turn, self._turn = self._turn, None
            self._turns.release(turn)
            turn.end(self._encoder.fail(failure_of(error)) if error else self._encoder.stop())


def _seconds_left(call: Call, ttl: float) -> float:
    return call.asked_at + (call.ttl or ttl) - time.time()


def _new_id() -> str:
    return f"msg-{token_hex(12)}"
