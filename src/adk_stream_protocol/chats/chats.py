"""Chat: holds the Runner, opens turns and drives them. The only place that knows both sides."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import Runner

from adk_stream_protocol.adk.session_reader import Histories
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, Principal, State
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.live.engine import LiveRun
from adk_stream_protocol.chats.live.settings import LiveSettings
from adk_stream_protocol.chats.request_engine import RequestTurns
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.chats.turns import Key, Turns
from adk_stream_protocol.chats.workers import Workers, error_body, unpack
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import Busy, StreamProtocolError, TooMany, UnknownId
from adk_stream_protocol.telemetry.instruments import log_event
from adk_stream_protocol.telemetry.turns import ObservedTurn
from adk_stream_protocol.workers.relay import Relay

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 4.0
"""How long a server that goes down waits for tools that are running."""
READ_SECONDS = 1.0
"""And then for readers to take the ends of their turns."""
MAX_LIVE_PER_USER = 256


class Chat:
    """All chats of one agent. A chat is named by its principal and its id."""

    def __init__(
        self,
        runner: Runner,
        approvals: ApprovalBook,
        *,
        run_config: RunConfig | None = None,
        client_tool_ttl: float = 600,
        max_turns_per_user: int = 32,
        live: LiveSettings | None = None,
        relay: Relay | None = None,
    ) -> None:
        assert isinstance(runner.session_service, TurnSessions)
        self._runner = runner
        run_config = run_config or RunConfig(streaming_mode=StreamingMode.SSE)
        self.approvals = approvals
        self._sessions = runner.session_service
        self._histories = Histories(
            runner.app_name, self._sessions, approvals, run_config.get_session_config
        )
        self._workers = Workers(relay, runner.app_name, self._heard)
        self._turns = Turns(max_turns_per_user, self._began)
        approvals.on_settled = self._workers.settled
        approvals.is_left_to_us = self._is_left_to_us
        self._requests = RequestTurns(
            runner,
            run_config,
            self._histories,
            self._turns,
            self._workers,
            client_tool_ttl=client_tool_ttl,
        )
        self._live = live
        self._runs: dict[Key, LiveRun] = {}

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
        # A live model cannot be made to forget: what is taken back is answered by a request.
        live = live and turn_input.back_to is None
        run = self._runs.get(key)
        if live and turn_input.content and run is None:
            run = self.start_live(*key)
        if run and (live or turn_input.answers):
            if turn := await run.open_turn(who, turn_input, approvals):
                return turn
        if run:
            await self._leave(run)
            if live and turn_input.content:  # it was ending; this one begins another
                return await self.open_turn(who, chat_id, turn_input, approvals, live=True)
        if turn_input.answers:
            if turn := await self._workers.answer(who, key, turn_input, approvals):
                return turn
        return await self._requests.open(key, who, turn_input, approvals)

    def start_live(self, user_id: str, chat_id: str) -> LiveRun:
        """The live run of a chat, begun if need be."""
        key = (user_id, chat_id)
        if self._live is None:
            raise UnknownId("This agent has no live mode.")
        if self._turns.get(key) and key not in self._runs:
            raise Busy("A turn is already running in this chat.")
        if key not in self._runs:
            if sum(user == user_id for user, _ in self._runs) >= MAX_LIVE_PER_USER:
                raise TooMany("Too many live chats are open for this user.")
            self._runs[key] = LiveRun(
                key, self._turns, self._live, self._histories, self._workers, self._ended
            )
        return self._runs[key]

    def _began(self, turn: Turn) -> None:
        run = self._runs.get(turn.chat)
        turn.observed = ObservedTurn(turn.chat[1], turn.reference, run and run.observed)
        self._workers.show(turn)

    def _is_left_to_us(self, record: ApprovalRecord) -> bool:
        """A decided call of a chat that only we run: its decider lives, but left it to a worker
        that died."""
        key = (record.principal, record.session)
        return record.state is not State.EXECUTING and self._workers.holds(key)

    def _ended(self, run: LiveRun) -> None:
        if self._runs.get(run.chat) is run:
            del self._runs[run.chat]

    async def _leave(self, run: LiveRun) -> None:
        if self._turns.get(run.chat) and not run.is_closing:
            raise Busy("A turn is already running in this chat.")
        await run.close()

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
        turn.stop()
        await asyncio.wait([turn.task])
        return True

    async def _heard(self, kind: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """What another worker says, or asks about a chat that this one runs."""
        if kind == "wake":
            self.approvals.wake(body["approval"])
            return None
        key = (str(body["chat"][0]), str(body["chat"][1]))
        try:
            match kind:
                case "stop":
                    return {"stopped": await self._stop_here(key)}
                case "end":
                    return {"ended": await self._end_here(key)}
                case "leave":
                    return {"left": await self._leave_here(key, body["live"])}
                case "go-on":
                    return {"goes_on": await self._go_on_here(key)}
                case "unfinished":
                    return {"unfinished": self._unfinished_here(key)}
                case _:
                    return {"log": await self._answer_here(key, body)}
        except StreamProtocolError as error:
            return error_body(error)

    async def _leave_here(self, key: Key, to_socket: bool) -> bool:
        """Let a chat go that only listens, or has just ended. False: something runs."""
        run = self._runs.get(key)
        if run and not self._turns.get(key):
            if to_socket:
                run.socket.replace()
            await run.close()
        await self._workers.given(key)
        return not self._workers.has(key)

    async def _answer_here(self, key: Key, body: dict[str, Any]) -> str | None:
        """The log of the turn that answers open in a live run; None if none takes them."""
        run = self._runs.get(key)
        who = Principal(body["who"][0], frozenset(body["who"][1]))
        turn = run and await run.open_turn(who, unpack(body["input"]), body["style"])
        return self._workers.log_of(turn) if turn else None

    async def unfinished(self, user_id: str, chat_id: str) -> str | None:
        """The id of the message that a running turn makes; empty if a live run only listens."""
        key = (user_id, chat_id)
        here = self._unfinished_here(key)
        return here or await self._workers.unfinished(key, here)

    def _unfinished_here(self, key: Key) -> str | None:
        turn = self._turns.get(key)
        return turn.message_id if turn else ("" if key in self._runs else None)

    async def end(self, user_id: str, chat_id: str) -> None:
        """End what goes on in a chat, a live run included."""
        key = (user_id, chat_id)
        await self._end_here(key)
        await self._workers.end_chat(key)

    async def _end_here(self, key: Key) -> bool:
        if run := self._runs.get(key):
            await run.close()
        await self._stop_here(key)
        await self._workers.given(key)
        return True

    async def start(self) -> None:
        """Make ready what the first request would else wait for."""
        await self._sessions.prepare()
        await self._workers.listen()

    async def close(self) -> None:
        """Take no new turns, let tools finish for a while, and end the running turns."""
        if not self._turns.closing:
            log_event(
                "worker draining", turns=len(self._turns.keys()), live_sessions=len(self._runs)
            )
        self._turns.closing = True
        running = [turn for key in self._turns.keys() if (turn := self._turns.get(key))]
        ending = [run.close(CLOSE_SECONDS) for run in self._runs.values()]
        ending += [self._stop_after_tools(turn.chat) for turn in running]
        await _within(CLOSE_SECONDS + 0.5, *ending)
        await _within(READ_SECONDS, *(turn.read_out(READ_SECONDS) for turn in running))
        await self._workers.close()

    async def _stop_after_tools(self, key: Key) -> None:
        if key in self._runs:
            return
        await _within(CLOSE_SECONDS, self.approvals.running.none_of(ChatId(self.app_name, *key)))
        await self._stop_here(key)

    async def go_on(self, user_id: str, chat_id: str) -> None:
        """Continue a chat whose call was decided elsewhere."""
        key = (user_id, chat_id)
        is_here = key in self._runs or self._turns.get(key)
        if is_here or not await self._workers.go_on(key):
            await self._go_on_here(key)

    async def _go_on_here(self, key: Key) -> bool:
        run = self._runs.get(key)
        if run and not run.is_closing:  # the call waits there, and has been woken
            return True
        if run:
            await run.close()
        await self._requests.go_on(key)
        return True


async def _within(seconds: float, *jobs: Coroutine[Any, Any, None]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*jobs)
