"""Chat: one chat of one principal, as far as this process runs it. It owns all its state here."""

import asyncio
from contextlib import suppress
from secrets import token_hex
from typing import Protocol

from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.engine import Engine, Engines, LongEngine
from adk_stream_protocol.chats.failures import needing_the_store
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import Busy, UnknownId
from adk_stream_protocol.telemetry.turns import TurnTelemetry
from adk_stream_protocol.workers.lease import ChatLease
from adk_stream_protocol.workers.relay import Relay


class ChatHost(Protocol):
    """The process that a chat lives in, as the chat needs it."""

    is_closing: bool

    def admit_turn(self, chat: "Chat") -> None:
        """Count one more turn of a user, or raise TooMany or Unavailable."""

    def admit_live(self, chat: "Chat") -> None:
        """Raise TooMany if the user has too many live chats."""

    def turn_ended(self, turn: Turn) -> None:
        """Count one turn less, once nobody reads it any more."""

    def keep(self, chat: "Chat") -> None:
        """Keep the chat while it is active, and no longer."""


class Chat:
    """At most one turn is open, run by one of two engines."""

    def __init__(self, id: ChatId, engines: Engines, relay: Relay, host: ChatHost) -> None:
        self.id = id
        self.calls = ChatCalls()
        self.lease = ChatLease(id, relay)
        self.turn: Turn | None = None
        self.live: LongEngine | None = None
        self.lock = asyncio.Lock()
        """Held while a turn is opened: the events that its answers lead to belong to it."""
        self.openings = 0
        """How many turns were opened, or refused, so far."""
        self._engines = engines
        self._relay = relay
        self._host = host
        self._continue_after_turn = False
        """A call was decided outside of the chat while a turn was running."""

    @property
    def is_active(self) -> bool:
        """Return whether a turn or a live run is open."""
        return self.turn is not None or self.live is not None

    @property
    def message_in_the_making(self) -> str | None:
        """The id of the message that is being made: empty if it has none yet, None if idle."""
        if self.turn:
            return self.turn.message_id
        return "" if self.live or self.lock.locked() else None

    async def open_turn(
        self,
        who: Principal,
        turn_input: TurnInput,
        style: ApprovalStyleName,
        *,
        live: bool = False,
    ) -> Turn:
        """Open a turn, or raise the error that the request deserves; then nothing has happened.

        A live run takes the answers to its calls from either transport. New messages go to it
        only over the socket; over HTTP they end it.
        """
        # A live model cannot be made to forget: a request answers after a rewind.
        live = live and turn_input.rewind_before is None
        if live and turn_input.content and self.live is None:
            self.start_live()
        if self.live and (live or turn_input.answers):
            if turn := await self._open(self.live, who, turn_input, style):
                return turn
        if self.live:
            await self._leave_live()
            if live and turn_input.content:  # that run was ending; this message begins another
                return await self.open_turn(who, turn_input, style, live=True)
        if self.turn:
            raise Busy("A turn is already running in this chat.")
        turn = await self._open(self._engines.request(self), who, turn_input, style)
        assert turn is not None
        return turn

    async def _open(
        self, engine: Engine, who: Principal, turn_input: TurnInput, style: ApprovalStyleName
    ) -> Turn | None:
        """Open a turn with an engine. None if it is closing or has not made the calls."""
        async with self.lock:
            if engine.is_closing:
                return None
            try:
                with needing_the_store():
                    if turn_input.content:
                        return await engine.say(turn_input, style)
                    return await self._answer(engine, who, turn_input, style)
            finally:
                self.openings += 1
                if not self.is_active:
                    self.release_lease()

    async def _answer(
        self, engine: Engine, who: Principal, said: TurnInput, style: ApprovalStyleName
    ) -> Turn | None:
        """Plan what the answers lead to, commit its decisions, and go on where the chat waited."""
        try:
            opened = await engine.read()
            if opened is None:
                return None
            plan = await opened.plan(said.answers, self._engines.agent)
            if not engine.made(plan.calls):
                return None
            if engine.is_live and plan.is_repeat and self.turn and self.turn.is_whole:
                return self.turn  # what these answers lead to is on its way
            turn = engine.reserve(style)
            turn.message_prefix = opened.message_prefix(style, plan)
            turn.observed.link_to(plan.calls)
            is_ours = self.lease.is_exclusive
            with turn.observed.span():
                await opened.commit(plan, who, live=engine.is_live, is_ours=is_ours)
            await engine.answer(turn, opened, plan, said, style)
        except BaseException:
            engine.abandon()
            raise
        return turn

    async def answer_live(
        self, who: Principal, turn_input: TurnInput, style: ApprovalStyleName
    ) -> Turn | None:
        """Open a turn with answers to calls of the live run. None if no live run takes them."""
        return await self._open(self.live, who, turn_input, style) if self.live else None

    def start_live(self) -> LongEngine:
        """Return the live run of the chat, begun if need be."""
        if self._engines.live is None:
            raise UnknownId("This agent does not support live chats.")
        if self.live is None:
            if self.turn:
                raise Busy("A turn is already running in this chat.")
            self._host.admit_live(self)
            self.live = self._engines.live(self)
            self._host.keep(self)
        return self.live

    def live_ended(self) -> None:
        """Forget the live run, which is over, and release the chat."""
        self.live = None
        self.release_lease()
        self._host.keep(self)

    async def _leave_live(self) -> None:
        if self.live is None:
            return
        if self.turn and not self.live.is_closing:
            raise Busy("A turn is already running in this chat.")
        await self.live.close()

    def reserve(self) -> Turn:
        """Begin a turn, or raise why not."""
        if self.turn:
            raise Busy("A turn is already running in this chat.")
        self._host.admit_turn(self)
        turn = self.turn = Turn(token_hex(4), self.id, self._relay.new_log())
        live_session = self.live.observed if self.live else None
        turn.observed = TurnTelemetry(self.id.chat, turn.reference, live_session)
        self._relay.publish(turn)
        self._host.keep(self)
        return turn

    def drop(self, turn: Turn) -> None:
        """Forget a turn that never began."""
        self.release(turn)
        turn.end([])

    def release(self, turn: Turn) -> None:
        """Make room for the next turn."""
        if self.turn is turn:
            self.turn = None
            self._host.turn_ended(turn)
            self._host.keep(self)

    def release_lease(self, log: str | None = None) -> None:
        """Let other workers run the chat, and keep this object until they can."""
        if releasing := self.lease.release(log):
            releasing.add_done_callback(lambda _: self._host.keep(self))

    async def request_ended(self, turn: Turn) -> None:
        """Release the chat of a request, before anybody hears of its end and sends the next."""
        self.release(turn)
        self.release_lease(turn.log)
        await self.lease.released()

    async def continue_if_decided(self) -> None:
        """Go on with what was decided outside of the chat while a turn was running."""
        if self._continue_after_turn and not self._host.is_closing:
            self._continue_after_turn = False
            await self.go_on()

    async def stop(self) -> bool:
        """Stop the running turn. Return False if none runs."""
        if self.live:
            return self.live.stop()
        turn = self.turn
        if turn is None or turn.task is None:
            return False
        turn.stop()
        await asyncio.wait([turn.task])
        return True

    async def end(self) -> None:
        """End everything that goes on, a live run included."""
        if self.live:
            await self.live.close()
        await self.stop()
        await self.lease.released()

    async def close(self, patience: float) -> None:
        """End everything, but let running tools finish for a while."""
        if self.live:
            await self.live.close(patience)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self.calls.none_running()
        await self.stop()

    async def leave(self, *, for_socket: bool) -> bool:
        """Release the chat if nothing runs in it. Return False if something does."""
        if self.live and not self.turn:
            if for_socket:
                self.live.socket.replace()
            await self.live.close()
        await self.lease.released()
        return not self.lease.is_held

    async def go_on(self) -> None:
        """Continue after a call was decided outside of the chat. Nobody reads the turn."""
        if self.live and not self.live.is_closing:  # the call waits there, and has been woken
            return
        if self.live:
            await self.live.close()
        if self.turn:
            self._continue_after_turn = True
            return
        async with self.lock:
            if self.turn:
                self._continue_after_turn = True
            elif self.live is None:
                await self._engines.request(self).go_on()
