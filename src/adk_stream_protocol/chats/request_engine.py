"""RequestTurns: turns that ADK runs from one request to its end."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from secrets import token_hex
from typing import Any

from google.adk.agents.run_config import RunConfig
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.genai import types

from adk_stream_protocol.adk.open_turn import History
from adk_stream_protocol.adk.rewind import rewind
from adk_stream_protocol.adk.session_reader import Histories
from adk_stream_protocol.adk.task_context import enter
from adk_stream_protocol.adk.telemetry import telemetry
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chats.answering import (
    chunks_of,
    needing_the_store,
    plan_answers,
    replay_of,
    unfinished_plan,
)
from adk_stream_protocol.chats.failures import failure_of
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.chats.turns import Key, Turns
from adk_stream_protocol.chats.workers import Workers
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import NOTES
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.convert.history.exchanges import MESSAGE_ID, USER_MESSAGE_ID
from adk_stream_protocol.errors import Busy, UnknownId

logger = logging.getLogger(__name__)


class RequestTurns:
    """Opens turns on `run_async` and drives them."""

    def __init__(
        self,
        runner: Runner,
        run_config: RunConfig,
        histories: Histories,
        turns: Turns,
        workers: Workers,
        *,
        client_tool_ttl: float,
    ) -> None:
        self._runner = runner
        self._run_config = run_config
        self._histories = histories
        self._turns = turns
        self._workers = workers
        self._client_tool_ttl = client_tool_ttl
        self._to_go_on: set[Key] = set()
        """Chats with a decision from elsewhere that came while a turn was running."""

    async def open(
        self, key: Key, who: Principal, turn_input: TurnInput, approvals: ApprovalStyleName
    ) -> Turn:
        """Start a turn, or raise the error that the request deserves."""
        turn = self._turns.reserve(key)
        try:
            await self._workers.take(key)
            if turn_input.content:
                message_id = f"msg-{token_hex(12)}"
                encoder = TurnEncoder(message_id, approvals=approvals, reference=turn.reference)
                run = partial(self._say, key, turn, turn_input)
            else:
                history, plan = await turn.observed.over(self._plan(who, key, turn_input.answers))
                turn.earlier = history.earlier(approvals, plan)
                turn.observed.goes_on_with(plan.calls)
                encoder = TurnEncoder(
                    turn_input.message_id,
                    approvals=approvals,
                    calls=history.calls_before(plan.repeats) if plan.is_replay else history.calls,
                    held=history.held_text(plan) if approvals == "adk-tool" else (),
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

    async def _drive(
        self, turn: Turn, encoder: TurnEncoder, run: Callable[[], Awaitable[None]]
    ) -> None:
        """Run a turn to its end. Here, and in a live run, an exception becomes an error chunk."""
        enter(turn)
        try:
            turn.begin()
            await run()
            closing = encoder.finish()
        except asyncio.CancelledError:
            closing = encoder.stop()
        except Exception as error:
            logger.exception("turn %s failed", turn.reference)
            closing = encoder.fail(failure_of(error))
        self._turns.release(turn)
        await self._workers.end(turn)
        turn.end(closing)
        if turn.chat in self._to_go_on:
            self._to_go_on.discard(turn.chat)
            if not self._turns.closing:
                await self.go_on(turn.chat)

    async def _say(self, key: Key, turn: Turn, said: TurnInput) -> None:
        """A new message of the user's. What was still open is cancelled by it."""
        content, back_to = said.content, said.back_to
        assert content is not None
        history = await self._histories.read_or_create(key, content, whole=back_to is not None)
        await history.cancel_open()
        if back_to is not None:
            new = None if said.again else content
            content = await rewind(self._runner, history.session, back_to, new) or content
        await self._run(key, turn, history, content, said.said_id)

    async def _answer(self, key: Key, turn: Turn, history: History, plan: Plan) -> None:
        """Answers to open calls; the turn goes on where it waited."""
        encoder = turn.encoder
        assert encoder is not None
        if plan.is_replay:
            turn.put(replay_of(plan, history, encoder))
            return
        content = await history.keep(plan)
        turn.put(chunks_of(plan, encoder))
        if content:
            await self._run(key, turn, history, content)

    async def _run(
        self,
        key: Key,
        turn: Turn,
        history: History,
        content: types.Content,
        said_id: str | None = None,
    ) -> None:
        encoder = turn.encoder
        assert encoder is not None
        history.hand_over()
        user_id, chat_id = key
        run_config = self._config_of(turn, said_id)
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

    def _config_of(self, turn: Turn, said_id: str | None) -> RunConfig:
        """The settings of a run. The names of its messages are stored with each of its events."""
        config = self._run_config
        names = {MESSAGE_ID: turn.message_id, USER_MESSAGE_ID: said_id}
        notes = {NOTES: {name: value for name, value in names.items() if value}}
        update: dict[str, Any] = {"custom_metadata": (config.custom_metadata or {}) | notes}
        if config.telemetry is None:
            update["telemetry"] = telemetry()
        return config.model_copy(update=update)

    async def go_on(self, key: Key) -> None:
        """Continue a chat whose call was decided elsewhere. Nobody reads along."""
        if self._turns.get(key):
            self._to_go_on.add(key)
            return
        turn = self._turns.reserve(key)
        try:
            await self._workers.take(key, politely=True)
        except Busy:  # another worker has just begun a turn, which finds the decision
            self._turns.drop(turn)
            return
        turn.detach()
        turn.encoder = encoder = TurnEncoder(reference=turn.reference)
        turn.task = asyncio.create_task(self._drive(turn, encoder, partial(self._go_on, key, turn)))

    async def _go_on(self, key: Key, turn: Turn) -> None:
        history = await self._histories.read(key)
        if history:
            plan = unfinished_plan(history.calls.by_id.values())
            turn.observed.goes_on_with(plan.calls)
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
