"""Chat: holds the Runner, opens turns and drives them. The only place that knows both sides."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from secrets import token_hex
from typing import Any

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.genai import types

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.convert.encode import TurnEncoder
from adk_stream_protocol.errors import Busy, StreamProtocolError, UnknownId
from adk_stream_protocol.replay.relay import Relay
from adk_stream_protocol.runtime.answering import chunks_of, needing_the_store, plan_answers
from adk_stream_protocol.runtime.approvals import Approvals
from adk_stream_protocol.runtime.failures import failure_of
from adk_stream_protocol.runtime.histories import Histories
from adk_stream_protocol.runtime.history import History, unfinished_plan
from adk_stream_protocol.runtime.live import LiveRun
from adk_stream_protocol.runtime.live_settings import LiveSettings
from adk_stream_protocol.runtime.sessions import TurnSessions
from adk_stream_protocol.runtime.telemetry import telemetry
from adk_stream_protocol.runtime.turn import Turn, enter
from adk_stream_protocol.runtime.turns import Key, Turns
from adk_stream_protocol.runtime.workers import Workers, error_body, unpack

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 5.0
"""How long a server that goes down waits for tools that are running in live chats."""


class Chat:
    """All chats of one agent. A chat is named by its principal and its id."""

    def __init__(
        self,
        runner: Runner,
        approvals: Approvals,
        *,
        run_config: RunConfig | None = None,
        client_tool_ttl: float = 600,
        max_turns_per_user: int = 32,
        live: LiveSettings | None = None,
        relay: Relay | None = None,
    ) -> None:
        assert isinstance(runner.session_service, TurnSessions)
        self._runner = runner
        self._run_config = run_config or RunConfig(streaming_mode=StreamingMode.SSE)
        self.approvals = approvals
        self._sessions = runner.session_service
        self._histories = Histories(
            runner.app_name, self._sessions, approvals, self._run_config.get_session_config
        )
        self._client_tool_ttl = client_tool_ttl
        self._workers = Workers(relay, self._heard)
        self._turns = Turns(max_turns_per_user, self._workers.show)
        approvals.on_settled = self._workers.settled
        self._live = live
        self._runs: dict[Key, LiveRun] = {}
        self._to_go_on: set[Key] = set()
        """Chats with a decision from elsewhere that came while a turn was running."""

    @property
    def session_store(self) -> str:
        """The kind of session service behind this chat."""
        return type(self._sessions.inner).__name__

    @property
    def approval_store(self) -> str:
        """The kind of store that the approval records are in."""
        return type(self.approvals.store).__name__

    @property
    def app_name(self) -> str:
        """The name under which sessions and records are kept."""
        return self._runner.app_name

    def running(self, user_id: str, chat_id: str) -> Turn | None:
        """The turn that is running in a chat, if one is."""
        return self._turns.get((user_id, chat_id))

    async def readable(self, user_id: str, chat_id: str) -> Turn | None:
        """The turn that is running in a chat, here or on another worker, if it can be read."""
        key = (user_id, chat_id)
        turn = self._turns.get(key) or await self._workers.follow(key)
        return turn if turn and turn.is_whole else None

    def live_run(self, user_id: str, chat_id: str) -> LiveRun | None:
        """The live run behind a chat, if there is one."""
        return self._runs.get((user_id, chat_id))

    async def open_turn(
        self,
        who: Principal,
        chat_id: str,
        turn_input: TurnInput,
        approvals: ApprovalStyleName,
        *,
        live: bool = False,
    ) -> Turn:
        """Start a turn, or raise the error that the request deserves; then nothing has happened.

        A live run that waits for answers takes them, wherever they come from. New messages go to
        it only over the socket; over HTTP they end it.
        """
        key = (who.id, chat_id)
        run = self._runs.get(key)
        if live and turn_input.content and run is None:
            await self._workers.leave(key)
            run = self.start_live(*key)
        if run and (live or turn_input.answers):
            if turn := await run.open_turn(who, turn_input, approvals):
                return turn
        if run:
            await self._leave(run)
        elif turn_input.answers:
            if turn := await self._workers.answer(who, key, turn_input, approvals):
                return turn
        else:
            await self._workers.leave(key)
        return await self._open_request(key, who, turn_input, approvals)

    def start_live(self, user_id: str, chat_id: str) -> LiveRun:
        """The live run of a chat, begun if need be."""
        key = (user_id, chat_id)
        if self._live is None:
            raise UnknownId("This agent has no live mode.")
        if key in self._turns.keys() and key not in self._runs:
            raise Busy("A turn is already running in this chat.")
        if key not in self._runs:
            self._runs[key] = LiveRun(
                key, self._turns, self._live, self._histories, self._workers, self._ended
            )
        return self._runs[key]

    def _ended(self, run: LiveRun) -> None:
        if self._runs.get(run.chat) is run:
            del self._runs[run.chat]

    async def _leave(self, run: LiveRun) -> None:
        if self._turns.get(run.chat):
            raise Busy("A turn is already running in this chat.")
        await run.close()

    async def _open_request(
        self, key: Key, who: Principal, turn_input: TurnInput, approvals: ApprovalStyleName
    ) -> Turn:
        turn = self._turns.reserve(key)
        try:
            await self._workers.take(key)
            if turn_input.content:
                message_id = f"msg-{token_hex(12)}"
                encoder = TurnEncoder(message_id, approvals=approvals, reference=turn.reference)
                run = partial(self._say, key, turn, turn_input.content)
            else:
                history, plan = await self._plan(who, key, turn_input.answers)
                encoder = TurnEncoder(
                    turn_input.message_id,
                    approvals=approvals,
                    calls=history.calls_before(plan.repeats) if plan.is_replay else history.calls,
                    held=history.held_text() if approvals == "adk-tool" else (),
                    reference=turn.reference,
                )
                run = partial(self._answer, key, turn, history, plan)
        except BaseException:
            self._turns.drop(turn)
            self._workers.give(key)
            raise
        turn.encoder = encoder
        turn.put(encoder.start())
        turn.task = asyncio.create_task(self._drive(turn, encoder, run))
        return turn

    async def stop(self, user_id: str, chat_id: str) -> bool:
        """Stop the running turn of a chat. False if none runs."""
        key = (user_id, chat_id)
        return await self._stop_here(key) or await self._workers.stop(key)

    async def _stop_here(self, key: Key) -> bool:
        if run := self._runs.get(key):
            return run.stop()
        turn = self._turns.get(key)
        if turn is None or turn.task is None:
            return False
        turn.task.cancel()
        await asyncio.wait([turn.task])
        return True

    async def _heard(self, kind: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """What another worker says or asks."""
        if kind == "wake":
            self.approvals.wake(body["approval"])
            return None
        key = (str(body["chat"][0]), str(body["chat"][1]))
        run = self._runs.get(key)
        if kind == "stop":
            return {"stopped": await self._stop_here(key)}
        if run is None or (kind == "leave" and self._turns.get(key)):
            return {"error": None}
        if kind == "leave":
            await run.close()
            return {"left": True}
        try:
            who = Principal(body["who"][0], frozenset(body["who"][1]))
            turn = await run.open_turn(who, unpack(body["input"]), body["style"])
        except StreamProtocolError as error:
            return error_body(error)
        return {"opened": True} if turn else {"error": None}

    async def close(self) -> None:
        """Take no new turns and stop the running ones."""
        self._turns.closing = True
        running = [turn for key in self._turns.keys() if (turn := self._turns.get(key))]
        await asyncio.gather(*(run.close(CLOSE_SECONDS) for run in list(self._runs.values())))
        for key in self._turns.keys():
            await self._stop_here(key)
        await asyncio.gather(*(turn.read_out(CLOSE_SECONDS) for turn in running))
        await self._workers.close()

    async def _drive(
        self, turn: Turn, encoder: TurnEncoder, run: Callable[[], Awaitable[None]]
    ) -> None:
        """Run a turn to its end. Here, and in a live run, an exception becomes an error chunk."""
        enter(turn)
        try:
            await run()
            closing = encoder.finish()
        except asyncio.CancelledError:
            closing = encoder.stop()
        except Exception as error:
            logger.exception("turn %s failed", turn.reference)
            closing = encoder.fail(failure_of(error))
        self._turns.release(turn)
        self._workers.give(turn.chat)
        turn.end(closing)
        if turn.chat in self._to_go_on:
            self._to_go_on.discard(turn.chat)
            if not self._turns.closing:
                await self.go_on(*turn.chat)

    async def _say(self, key: Key, turn: Turn, content: types.Content) -> None:
        """A new message of the user's. What was still open is cancelled by it."""
        history = await self._histories.read_or_create(key)
        await history.cancel_open()
        await self._run(key, turn, history, content)

    async def _answer(self, key: Key, turn: Turn, history: History, plan: Plan) -> None:
        """Answers to open calls; the turn goes on where it waited."""
        encoder = turn.encoder
        assert encoder is not None
        if plan.is_replay:
            for event in history.answered_events(plan.repeats):
                turn.put(encoder.encode(event))
            return
        content = await history.keep(plan)
        turn.put(chunks_of(plan, encoder))
        if content:
            await self._run(key, turn, history, content)

    async def _run(self, key: Key, turn: Turn, history: History, content: types.Content) -> None:
        encoder = turn.encoder
        assert encoder is not None
        history.hand_over()
        user_id, chat_id = key
        run_config = self._run_config
        if run_config.telemetry is None:
            run_config = run_config.model_copy(update={"telemetry": telemetry()})
        events = self._runner.run_async(
            user_id=user_id, session_id=chat_id, new_message=content, run_config=run_config
        )
        event: Event | None = None
        try:
            async with aclosing(events):
                async for event in events:
                    turn.put(encoder.encode(event))
                    if turn.is_full:
                        await turn.room()
        except asyncio.CancelledError:
            if event and (text := turn.open_text()):
                await history.keep_unfinished(event, text)
            raise

    async def go_on(self, user_id: str, chat_id: str) -> None:
        """Continue a chat whose call was decided elsewhere. Nobody reads along."""
        key = (user_id, chat_id)
        if key in self._runs:  # the call waits there, and has been woken
            return
        if self._turns.get(key):
            self._to_go_on.add(key)
            return
        turn = self._turns.reserve(key)
        try:
            await self._workers.take(key)
        except Busy:  # another worker runs the chat, and goes on with it
            self._turns.drop(turn)
            return
        turn.detach()
        turn.encoder = encoder = TurnEncoder(reference=turn.reference)
        turn.task = asyncio.create_task(self._drive(turn, encoder, partial(self._go_on, key, turn)))

    async def _go_on(self, key: Key, turn: Turn) -> None:
        history = await self._histories.read(key)
        if history:
            plan = unfinished_plan(history.calls.by_id.values())
            await history.commit(plan, Principal(key[0]))
            if content := await history.keep(plan):
                await self._run(key, turn, history, content)

    async def _plan(
        self, who: Principal, key: Key, answers: tuple[Answer, ...]
    ) -> tuple[History, Plan]:
        """What the answers lead to, its decisions committed. A refusal leaves nothing behind."""
        with needing_the_store():
            history = await self._histories.read(key)
            if history is None:
                raise UnknownId("There is no such chat.")
            await history.expire(self._client_tool_ttl)
            plan = await plan_answers(history, answers, self._runner.agent)
            await history.commit(plan, who)
        return history, plan
