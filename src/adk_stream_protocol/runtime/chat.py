"""Chat: holds the Runner, opens turns and drives them. The only place that knows both sides."""

import asyncio
import logging
from typing import Any

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import Runner

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.convert.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.errors import Busy, StreamProtocolError, UnknownId
from adk_stream_protocol.replay.relay import Relay
from adk_stream_protocol.runtime.approvals import Approvals
from adk_stream_protocol.runtime.histories import Histories
from adk_stream_protocol.runtime.live import LiveRun
from adk_stream_protocol.runtime.live_settings import LiveSettings
from adk_stream_protocol.runtime.request_turns import RequestTurns
from adk_stream_protocol.runtime.sessions import TurnSessions
from adk_stream_protocol.runtime.turn import Turn
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
        run_config = run_config or RunConfig(streaming_mode=StreamingMode.SSE)
        self.approvals = approvals
        self._sessions = runner.session_service
        self._histories = Histories(
            runner.app_name, self._sessions, approvals, run_config.get_session_config
        )
        self._workers = Workers(relay, self._heard)
        self._turns = Turns(max_turns_per_user, self._workers.show)
        approvals.on_settled = self._workers.settled
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
            await self._workers.leave(key)
            run = self.start_live(*key)
        if run and (live or turn_input.answers):
            if turn := await run.open_turn(who, turn_input, approvals):
                return turn
        if run:
            await self._leave(run)
            if live and turn_input.content:  # it was ending; this one begins another
                return await self.open_turn(who, chat_id, turn_input, approvals, live=True)
        elif turn_input.answers:
            if turn := await self._workers.answer(who, key, turn_input, approvals):
                return turn
        else:
            await self._workers.leave(key)
        return await self._requests.open(key, who, turn_input, approvals)

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

    async def unfinished(self, user_id: str, chat_id: str) -> str | None:
        """The id of the message that a running turn makes; empty if a live run only listens."""
        key = (user_id, chat_id)
        turn = self._turns.get(key)
        return turn.message_id if turn else ("" if key in self._runs else None)

    async def end(self, user_id: str, chat_id: str) -> None:
        """End what goes on in a chat, a live run included."""
        if run := self._runs.get((user_id, chat_id)):
            await run.close()
        await self.stop(user_id, chat_id)

    async def close(self) -> None:
        """Take no new turns and stop the running ones."""
        self._turns.closing = True
        running = [turn for key in self._turns.keys() if (turn := self._turns.get(key))]
        await asyncio.gather(*(run.close(CLOSE_SECONDS) for run in list(self._runs.values())))
        for key in self._turns.keys():
            await self._stop_here(key)
        await asyncio.gather(*(turn.read_out(CLOSE_SECONDS) for turn in running))
        await self._workers.close()

    async def go_on(self, user_id: str, chat_id: str) -> None:
        """Continue a chat whose call was decided elsewhere."""
        key = (user_id, chat_id)
        run = self._runs.get(key)
        if run and not run.is_closing:  # the call waits there, and has been woken
            return
        if run:
            await run.close()
        await self._requests.go_on(key)
