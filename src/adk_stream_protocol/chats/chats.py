"""Chats: finds or makes the chats of one agent, bounds them, and speaks for this worker."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, assert_never
from weakref import WeakValueDictionary

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import Runner

from adk_stream_protocol.adk.session_reader import SessionReader
from adk_stream_protocol.adk.sessions import TurnSessions
from adk_stream_protocol.approvals.book import ApprovalBook
from adk_stream_protocol.approvals.record import ApprovalRecord, Principal
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.chat import Chat
from adk_stream_protocol.chats.engine import Engines
from adk_stream_protocol.chats.live.engine import LiveEngine
from adk_stream_protocol.chats.live.settings import LiveSettings
from adk_stream_protocol.chats.remote_chat import RemoteChat
from adk_stream_protocol.chats.request_engine import RequestEngine, RequestSettings
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import StreamProtocolError, TooMany, Unavailable
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.process_id import is_gone, this_process
from adk_stream_protocol.telemetry.instruments import log_event
from adk_stream_protocol.workers import messages
from adk_stream_protocol.workers.relay import LocalRelay, Peer, Relay

CLOSE_SECONDS = 4.0
"""How long a server that goes down waits for tools that are running."""
READ_SECONDS = 1.0
"""And then for readers to take the ends of their turns."""
MESSAGE_SECONDS = 0.5
"""And for what is still being said to other workers."""


class Chats:
    """The chats of one agent, on this worker and on others."""

    def __init__(
        self,
        runner: Runner,
        book: ApprovalBook,
        *,
        run_config: RunConfig | None = None,
        client_tool_ttl: float = 600,
        limits: Limits = DEFAULT_LIMITS,
        live: LiveSettings | None = None,
        relay: Relay | None = None,
    ) -> None:
        assert isinstance(runner.session_service, TurnSessions)
        run_config = run_config or RunConfig(streaming_mode=StreamingMode.SSE)
        self.book = book
        self._sessions = runner.session_service
        self._relay = relay or LocalRelay()
        self.app_name = runner.app_name
        """The name under which sessions and records are kept."""
        reader = SessionReader(self._sessions, book, run_config.get_session_config)
        request = RequestSettings(runner, run_config, reader, client_tool_ttl)
        self._engines = Engines(
            runner.agent,
            partial(RequestEngine, settings=request),
            partial(LiveEngine, sessions=reader, settings=live) if live else None,
        )
        self._relay.join(Peer(runner.app_name, this_process(), self.handle, is_gone))
        self._limits = limits
        self._turns: Counter[str] = Counter()
        self._known: WeakValueDictionary[ChatId, Chat] = WeakValueDictionary()
        """Every chat that anybody still uses: a chat never has two objects."""
        self._active: set[Chat] = set()
        self._tasks = BackgroundTasks()
        self._on_sign_out: list[Callable[[str], object]] = []
        self.is_closing = False
        book.on_settled(self._settled)

    @property
    def session_store(self) -> str:
        """The kind of session service behind these chats."""
        return type(self._sessions.inner).__name__

    @property
    def approval_store(self) -> str:
        """The kind of store that the approval records are in."""
        return type(self.book.store).__name__

    def probes(self) -> dict[str, Callable[[], Awaitable[object]]]:
        """Return a question to each store that any answer will do for."""
        look = partial(self._sessions.inner.get_session, app_name=self.app_name)
        return {
            "sessions": lambda: look(user_id="-", session_id="-"),
            "approvals": self.book.store.latest,
        }

    def get(self, user_id: str, chat_id: str) -> Chat | None:
        """Return a chat that this worker runs, if it does."""
        return self._known.get(ChatId(self.app_name, user_id, chat_id))

    def of(self, user_id: str, chat_id: str) -> Chat:
        """Return a chat as this worker would run it, made if need be."""
        return self._of(ChatId(self.app_name, user_id, chat_id))

    def _of(self, id: ChatId) -> Chat:
        chat = self._known.get(id)
        if chat is None:
            chat = self._known[id] = Chat(id, self._engines, self._relay, self)
        return chat

    def _remote(self, id: ChatId) -> RemoteChat:
        return RemoteChat(id, self._relay, self._tasks)

    async def open_turn(
        self,
        who: Principal,
        chat_id: str,
        turn_input: TurnInput,
        style: ApprovalStyleName,
        *,
        live: bool = False,
    ) -> Turn:
        """Open a turn, or raise the error that the request deserves; then nothing has happened."""
        chat = self.of(who.id, chat_id)
        if turn_input.answers and chat.live is None:
            if turn := await self._remote(chat.id).open_turn(who, turn_input, style):
                return turn
        return await chat.open_turn(who, turn_input, style, live=live)

    def running(self, user_id: str, chat_id: str) -> Turn | None:
        """Return the turn that this worker runs in a chat, if it does."""
        chat = self.get(user_id, chat_id)
        return chat.turn if chat else None

    async def readable(self, user_id: str, chat_id: str) -> Turn | None:
        """Return the running turn of a chat, here or on another worker, if it is kept whole."""
        turn = self.running(user_id, chat_id)
        turn = turn or await self._remote(ChatId(self.app_name, user_id, chat_id)).read()
        return turn if turn and turn.is_whole else None

    async def stop(self, user_id: str, chat_id: str) -> bool:
        """Stop the running turn of a chat. Return False if none runs."""
        chat = self.of(user_id, chat_id)
        return await chat.stop() or await self._remote(chat.id).stop()

    async def end(self, user_id: str, chat_id: str) -> None:
        """End everything that goes on in a chat, a live run included."""
        chat = self.of(user_id, chat_id)
        await chat.end()
        await self._remote(chat.id).end()

    async def go_on(self, user_id: str, chat_id: str) -> None:
        """Continue a chat after a call was decided outside of it."""
        chat = self.of(user_id, chat_id)
        if chat.is_active or not await self._remote(chat.id).go_on():
            await chat.go_on()

    async def message_in_the_making(self, user_id: str, chat_id: str) -> str | None:
        """Name the message that is being made: empty if it has no id yet, None if idle."""
        chat = self.of(user_id, chat_id)
        here = chat.message_in_the_making
        if here:
            return here
        there = await self._remote(chat.id).message_in_the_making()
        return here if there is None else there

    def is_running(self, record: ApprovalRecord) -> bool:
        """Return whether this worker runs the call of a record now."""
        chat = self._known.get(record.chat_id)
        return chat is not None and chat.calls.is_running(record.id)

    def waits_here(self, record: ApprovalRecord) -> bool:
        """Return whether a live run of this worker waits for the answer to a request."""
        chat = self._known.get(record.chat_id)
        return chat is not None and record.id in chat.calls.waiting

    def admit_turn(self, chat: Chat) -> None:
        """Count one more turn of a user, or raise why there may be none."""
        if self.is_closing:
            raise Unavailable("The server is shutting down. Please try again in a moment.")
        if self._turns[chat.id.user] >= self._limits.turns_per_user:
            raise TooMany("You have too many turns running.")
        self._turns[chat.id.user] += 1

    def turn_ended(self, turn: Turn) -> None:
        """Count one turn less, once nobody reads it any more: until then it is kept."""
        turn.when_unread(partial(self._forget_turn, turn.chat_id.user))

    def _forget_turn(self, user: str) -> None:
        self._turns[user] -= 1
        if not self._turns[user]:
            del self._turns[user]

    def admit_live(self, chat: Chat) -> None:
        """Raise TooMany if the user has too many live chats."""
        live = sum(
            other.live is not None and other.id.user == chat.id.user for other in self._active
        )
        if live >= self._limits.live_chats_per_user:
            raise TooMany("You have too many live chats open.")

    def keep(self, chat: Chat) -> None:
        """Keep the chat while it is active, and no longer."""
        if chat.is_active:
            self._active.add(chat)
        else:
            self._active.discard(chat)

    def _settled(self, record: ApprovalRecord) -> None:
        """Wake the call that waits for a record, here or on another worker."""
        chat = self._known.get(record.chat_id)
        if chat is None or not chat.calls.wake(record):
            self._tasks.spawn(self._relay.broadcast(messages.Wake(record.chat_id, record.id)))

    async def handle(self, message: messages.Message) -> messages.Reply | None:
        """Do what another worker asks for, and reply if it expects that."""
        if isinstance(message, messages.Wake):
            if chat := self._known.get(message.chat):
                chat.calls.look(message.approval_id)
            return None
        if isinstance(message, messages.SignOut):
            await self._end_all(message.user)
            return None
        try:
            return await self._reply(self._of(message.chat), message)
        except StreamProtocolError as error:
            return messages.Refused.of(error)

    async def _reply(self, chat: Chat, request: messages.Request) -> messages.Reply:
        match request:
            case messages.Stop():
                return messages.Done(await chat.stop())
            case messages.End():
                await chat.end()
                return messages.Done(True)
            case messages.Leave():
                return messages.Done(await chat.leave(for_socket=request.for_socket))
            case messages.Continue():
                await chat.go_on()
                return messages.Done(True)
            case messages.AskActivity():
                return messages.Activity(chat.message_in_the_making)
            case messages.GiveAnswers():
                given = TurnInput(answers=request.answers, message_id=request.message_id)
                turn = await chat.answer_live(request.who, given, request.style)
                return messages.Opened(turn.log if turn else None)
            case _:
                assert_never(request)

    def on_sign_out(self, listener: Callable[[str], object]) -> None:
        """Call the listener with every principal who is signed out, on any worker."""
        self._on_sign_out.append(listener)

    async def sign_out(self, principal: str | Principal) -> None:
        """End the sockets and turns of a principal at once, on all workers.

        Call it when a session of your application ends or a token is revoked. Requests that wait
        for a decision stay open: they belong to the chat.
        """
        user = principal if isinstance(principal, str) else principal.id
        await self._end_all(user)
        await self._relay.broadcast(messages.SignOut(user))

    async def _end_all(self, user: str) -> None:
        for listener in self._on_sign_out:
            listener(user)
        chats = [chat for chat in self._active if chat.id.user == user]
        await asyncio.gather(*(chat.end() for chat in chats))

    async def start(self) -> None:
        """Prepare what the first request would otherwise wait for."""
        await self._sessions.prepare()
        await self.book.start()
        await self._relay.listen()

    async def close(self) -> None:
        """Open no new turns, let tools finish for a while, and end the running turns."""
        active = list(self._active)
        if not self.is_closing:
            live = sum(chat.live is not None for chat in active)
            log_event("worker draining", turns=sum(self._turns.values()), live_sessions=live)
        self.is_closing = True
        turns = [chat.turn for chat in active if chat.turn]
        await _within(CLOSE_SECONDS + 0.5, *(chat.close(CLOSE_SECONDS) for chat in active))
        await _within(READ_SECONDS, *(turn.drain(READ_SECONDS) for turn in turns))
        await self._tasks.done(MESSAGE_SECONDS)
        self._tasks.cancel()
        await self._tasks.done(MESSAGE_SECONDS)
        await self._relay.close()


async def _within(seconds: float, *jobs: Coroutine[Any, Any, None]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*jobs)
