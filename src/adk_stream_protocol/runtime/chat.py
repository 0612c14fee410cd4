"""Chat: holds the Runner, opens turns and drives them. The only place that knows both sides."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from secrets import token_hex
from typing import Any

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import Runner
from google.genai import types
from sqlalchemy.exc import SQLAlchemyError

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert.answers import Plan, match_answers
from adk_stream_protocol.convert.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import Answer, TurnInput
from adk_stream_protocol.convert.encode import TurnEncoder
from adk_stream_protocol.errors import Busy, Conflict, TooMany, Unavailable, UnknownId
from adk_stream_protocol.runtime.approvals import Approvals
from adk_stream_protocol.runtime.failures import failure_of
from adk_stream_protocol.runtime.history import History, unfinished_plan
from adk_stream_protocol.runtime.sessions import TurnSessions
from adk_stream_protocol.runtime.telemetry import telemetry
from adk_stream_protocol.runtime.turn import Turn, enter

logger = logging.getLogger(__name__)

Key = tuple[str, str]


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
    ) -> None:
        assert isinstance(runner.session_service, TurnSessions)
        self._runner = runner
        self._sessions = runner.session_service
        self._run_config = run_config or RunConfig(streaming_mode=StreamingMode.SSE)
        self.approvals = approvals
        self._client_tool_ttl = client_tool_ttl
        self._max_turns_per_user = max_turns_per_user
        self._turns: dict[Key, Turn] = {}
        self._turns_of: Counter[str] = Counter()
        self._to_go_on: set[Key] = set()
        """Chats with a decision from elsewhere that came while a turn was running."""
        self._closing = False

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

    async def open_turn(
        self, who: Principal, chat_id: str, turn_input: TurnInput, approvals: ApprovalStyleName
    ) -> Turn:
        """Start a turn, or raise the error that the request deserves; then nothing has happened."""
        key = (who.id, chat_id)
        turn = self._reserve(key)
        try:
            if turn_input.content:
                message_id = f"msg-{token_hex(12)}"
                turn.encoder = TurnEncoder(
                    message_id, approvals=approvals, reference=turn.reference
                )
                run = partial(self._say, key, turn, turn_input.content)
            else:
                history, plan = await self._plan(who, chat_id, turn_input.answers)
                turn.encoder = TurnEncoder(
                    turn_input.message_id,
                    approvals=approvals,
                    calls=history.calls_before(plan.repeats) if plan.is_replay else history.calls,
                    held=history.held_text() if approvals == "adk-tool" else (),
                    reference=turn.reference,
                )
                run = partial(self._answer, key, turn, history, plan)
        except BaseException:
            self._release(key)
            raise
        turn.put(turn.encoder.start())
        turn.task = asyncio.create_task(self._drive(key, turn, run))
        return turn

    async def stop(self, user_id: str, chat_id: str) -> bool:
        """Stop the running turn of a chat. False if none runs."""
        turn = self._turns.get((user_id, chat_id))
        if turn is None or turn.task is None:
            return False
        turn.task.cancel()
        await asyncio.wait([turn.task])
        return True

    async def close(self) -> None:
        """Take no new turns and stop the running ones."""
        self._closing = True
        for user_id, chat_id in list(self._turns):
            await self.stop(user_id, chat_id)

    def _reserve(self, key: Key) -> Turn:
        if self._closing:
            raise Unavailable("The server is going down. Please try again in a moment.")
        if key in self._turns:
            raise Busy("A turn is already running in this chat.")
        if self._turns_of[key[0]] >= self._max_turns_per_user:
            raise TooMany("Too many turns are running for this user.")
        self._turns_of[key[0]] += 1
        turn = self._turns[key] = Turn(token_hex(4), key)
        return turn

    def _release(self, key: Key) -> None:
        del self._turns[key]
        self._turns_of[key[0]] -= 1
        if not self._turns_of[key[0]]:
            del self._turns_of[key[0]]

    async def _drive(self, key: Key, turn: Turn, run: Callable[[], Awaitable[None]]) -> None:
        """Run a turn to its end. Here, and only here, an exception becomes an error chunk."""
        encoder = turn.encoder
        assert encoder is not None
        enter(turn)
        try:
            await run()
            closing = encoder.finish()
        except asyncio.CancelledError:
            closing = encoder.stop()
        except Exception as error:
            logger.exception("turn %s failed", turn.reference)
            closing = encoder.fail(failure_of(error))
        self._release(key)
        turn.end(closing)
        if key in self._to_go_on:
            self._to_go_on.discard(key)
            if not self._closing:
                await self.go_on(*key)

    async def _say(self, key: Key, turn: Turn, content: types.Content) -> None:
        """A new message of the user's. What was still open is cancelled by it."""
        history = await self._read(key)
        if history is None:
            session = await self._sessions.create_session(
                app_name=self._runner.app_name, user_id=key[0], session_id=key[1]
            )
            history = History(self._sessions, session, self.approvals)
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
        for decision in plan.decisions:
            turn.put(encoder.decided(decision.call, decision.approved))
        for call, response in plan.results:
            call.response = response
        for call in (*plan.unseen, *(call for call, _ in plan.results)):
            turn.put(encoder.settle(call))
        for call in plan.go:
            turn.put(encoder.go(call))
        for call, _ in plan.early:
            turn.put(encoder.ask_again(call))
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
        async with aclosing(events):
            async for event in events:
                turn.put(encoder.encode(event))
                if turn.is_full:
                    await turn.room()

    async def _read(self, key: Key) -> History | None:
        session = await self._sessions.get_session(
            app_name=self._runner.app_name,
            user_id=key[0],
            session_id=key[1],
            config=self._run_config.get_session_config,
        )
        if session is None:
            return None
        history = History(self._sessions, session, self.approvals)
        await history.read_records()
        return history

    async def go_on(self, user_id: str, chat_id: str) -> None:
        """Continue a chat whose call was decided elsewhere. Nobody reads along."""
        key = (user_id, chat_id)
        if key in self._turns:
            self._to_go_on.add(key)
            return
        turn = self._reserve(key)
        turn.detach()
        turn.encoder = TurnEncoder(reference=turn.reference)
        turn.task = asyncio.create_task(self._drive(key, turn, partial(self._go_on, key, turn)))

    async def _go_on(self, key: Key, turn: Turn) -> None:
        history = await self._read(key)
        if history:
            plan = unfinished_plan(history.calls.by_id.values())
            await history.commit(plan, Principal(key[0]))
            if content := await history.keep(plan):
                await self._run(key, turn, history, content)

    async def _plan(
        self, who: Principal, chat_id: str, answers: tuple[Answer, ...]
    ) -> tuple[History, Plan]:
        """What the answers lead to, its decisions committed. A refusal leaves nothing behind."""
        try:
            history = await self._read((who.id, chat_id))
            if history is None:
                raise UnknownId("There is no such chat.")
            await history.expire(self._client_tool_ttl)
            plan = await self._match(history, answers)
            await history.commit(plan, who)
        except (SQLAlchemyError, OSError) as error:
            logger.exception("the session store does not answer")
            raise Unavailable("The store does not answer. Nothing was done.") from error
        return history, plan

    async def _match(self, history: History, answers: tuple[Answer, ...]) -> Plan:
        tools = await history.open_client_tools(self._runner.agent)

        def check(call: Call, value: Any) -> str | None:
            tool = tools.get(call.id)
            return tool.check_output(value) if tool else "the tool is no longer there"

        try:
            return match_answers(history.calls, answers, check)
        except UnknownId:
            # Of an earlier turn, perhaps: then the id is known, and the answer is too late.
            match_answers(history.all_calls(), answers, check)
            raise Conflict("This call is no longer open; the answer has no effect.") from None
