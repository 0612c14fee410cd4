"""RequestEngine: turns that ADK runs from one request to its end, on `run_async`."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from google.adk.agents.run_config import RunConfig
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.genai import types

from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.adk.rewind import rewind
from adk_stream_protocol.adk.runner import request_config
from adk_stream_protocol.adk.session_reader import SessionReader
from adk_stream_protocol.adk.task_context import Run, bind_to_task
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chats.engine import RunnableChat
from adk_stream_protocol.chats.failures import failure_of, refusal_of
from adk_stream_protocol.chats.turn import Turn, new_message_id
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.encode.turn import TurnEncoder
from adk_stream_protocol.convert.events import is_user_message
from adk_stream_protocol.errors import Busy, UnknownId
from adk_stream_protocol.failure_log import log_failure

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """All that request turns are made of."""

    runner: Runner
    run_config: RunConfig
    sessions: SessionReader
    client_tool_ttl: float


class RequestEngine:
    """Opens turns of one chat and drives them. It keeps nothing from one turn to the next."""

    is_live = False
    is_closing = False

    def __init__(self, chat: RunnableChat, settings: RequestSettings) -> None:
        self._chat = chat
        self._settings = settings
        self._turn: Turn | None = None

    async def say(self, said: TurnInput, style: ApprovalStyleName) -> Turn:
        """Open a turn with a new user message."""
        turn = self._turn = self._chat.reserve()
        try:
            await self._chat.lease.acquire()
        except BaseException:
            self.abandon()
            raise
        encoder = TurnEncoder(new_message_id(), approvals=style, reference=turn.reference)
        self._start(turn, encoder, partial(self._say, turn, said))
        await turn.accepted()
        return turn

    async def read(self) -> OpenTurn:
        """Begin a turn, and read what the client may answer."""
        turn = self._turn = self._chat.reserve()
        with turn.observed.span():
            await self._chat.lease.acquire()
            opened = await self._settings.sessions.read(self._chat)
            if opened is None:
                raise UnknownId("There is no such chat.")
            await opened.expire(self._settings.client_tool_ttl)
        return opened

    def made(self, calls: Iterable[Call]) -> bool:
        """Return True: a request can go on with all calls that its chat has open."""
        return True

    def reserve(self, style: ApprovalStyleName) -> Turn:
        """Return the turn that was begun to read what is answered."""
        assert self._turn is not None
        return self._turn

    def abandon(self) -> None:
        """Forget the turn that was begun for answers which are refused."""
        if self._turn:
            self._chat.drop(self._turn)

    async def answer(
        self, turn: Turn, opened: OpenTurn, plan: Plan, said: TurnInput, style: ApprovalStyleName
    ) -> None:
        """Go on where the chat waited."""
        encoder = TurnEncoder(
            said.message_id,
            approvals=style,
            calls=opened.calls_before(plan.repeated) if plan.is_replay else opened.calls,
            held=opened.held_text(plan) if style == "adk-tool" else (),
            reference=turn.reference,
        )
        self._start(turn, encoder, partial(self._answer, turn, opened, plan))

    async def go_on(self) -> None:
        """Continue after a call was decided outside of the chat. Nobody reads the turn."""
        turn = self._chat.reserve()
        try:
            await self._chat.lease.acquire(politely=True)
        except Busy:  # another worker has just begun a turn, which finds the decision
            self._chat.drop(turn)
            return
        except BaseException:
            self._chat.drop(turn)
            raise
        turn.detach()
        encoder = TurnEncoder(reference=turn.reference)
        self._start(turn, encoder, partial(self._go_on, turn), announce=False)

    def _start(
        self,
        turn: Turn,
        encoder: TurnEncoder,
        run: Callable[[], Awaitable[None]],
        *,
        announce: bool = True,
    ) -> None:
        turn.encoder = encoder
        if announce:
            turn.put(encoder.start())
        turn.task = asyncio.create_task(self._drive(turn, encoder, run))

    async def _drive(
        self, turn: Turn, encoder: TurnEncoder, run: Callable[[], Awaitable[None]]
    ) -> None:
        """Run a turn to its end. Here, and in a live run, an exception becomes an error chunk."""
        chat = self._chat

        def stored(event: Event) -> None:
            if is_user_message(event):
                turn.stored()

        bind_to_task(Run(chat.id, chat.calls, turn.observed, turn.put_data, stored=stored))
        try:
            turn.begin()
            await run()
            closing = encoder.finish()
        except asyncio.CancelledError:
            closing = encoder.stop()
        except Exception as error:
            refusal = refusal_of(error)
            if not isinstance(refusal, Busy):
                log_failure(logger, error, "turn %s failed", turn.reference)
            if refusal:
                turn.refuse(refusal)
            closing = encoder.fail(failure_of(error))
        await self._chat.request_ended(turn)
        turn.end(closing)
        turn.stored()  # or refused, or it never will be
        await self._chat.continue_if_decided()

    async def _say(self, turn: Turn, said: TurnInput) -> None:
        """Store a new user message and run ADK on it. It cancels what was still open."""
        content, target = said.content, said.rewind_before
        assert content is not None
        sessions = self._settings.sessions
        opened = await sessions.read_or_create(self._chat, content, whole=target is not None)
        await opened.cancel_open()
        if target is not None:
            new = None if said.is_regenerate else content
            content = await rewind(self._settings.runner, opened.session, target, new) or content
        await self._run(turn, opened, content, said.user_message_id)

    async def _answer(self, turn: Turn, opened: OpenTurn, plan: Plan) -> None:
        """Store the answers to open calls and let ADK go on with them."""
        encoder = turn.encoder
        assert encoder is not None
        if plan.is_replay:
            turn.put(encoder.replay(plan, opened.answered_events(plan.repeated)))
            return
        content = await opened.keep(plan)
        turn.put(encoder.answers(plan))
        if content:
            await self._run(turn, opened, content)

    async def _go_on(self, turn: Turn) -> None:
        opened = await self._settings.sessions.read(self._chat)
        if opened:
            plan = Plan.of_unfinished(opened.calls.by_id.values())
            turn.observed.link_to(plan.calls)
            who = Principal(self._chat.id.user)
            await opened.commit(plan, who, is_ours=self._chat.lease.is_exclusive)
            if content := await opened.keep(plan):
                await self._run(turn, opened, content)

    async def _run(
        self,
        turn: Turn,
        opened: OpenTurn,
        content: types.Content,
        user_message_id: str | None = None,
    ) -> None:
        encoder = turn.encoder
        assert encoder is not None
        opened.hand_over()
        events = self._settings.runner.run_async(
            user_id=self._chat.id.user,
            session_id=self._chat.id.chat,
            new_message=content,
            run_config=request_config(self._settings.run_config, turn.message_id, user_message_id),
        )
        event: Event | None = None
        try:
            async with aclosing(events):
                async for event in events:
                    turn.put(encoder.encode(event))
                    if turn.is_full:
                        await turn.wait_for_room()
        except asyncio.CancelledError:
            if event and (text := turn.open_text()):
                await opened.keep_unfinished(event, text)
            raise
