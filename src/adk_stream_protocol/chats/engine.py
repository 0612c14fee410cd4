"""The interfaces between a chat and the two engines that can run it."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from google.adk.workflow import BaseNode

from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.adk.open_turn import OpenTurn
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.live.socket_slot import SocketSlot
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.answers import Plan
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.telemetry.turns import LiveSessionTelemetry
from adk_stream_protocol.workers.lease import ChatLease


class RunnableChat(Protocol):
    """A chat, as its engine needs it."""

    id: ChatId
    calls: ChatCalls
    lease: ChatLease
    lock: asyncio.Lock
    turn: Turn | None
    openings: int

    def reserve(self) -> Turn:
        """Begin a turn, or raise why not."""
        ...

    def release(self, turn: Turn) -> None:
        """Make room for the next turn."""

    def drop(self, turn: Turn) -> None:
        """Forget a turn that never began."""

    async def request_ended(self, turn: Turn) -> None:
        """Release the chat of a request, before anybody hears of its end and sends the next."""

    async def continue_if_decided(self) -> None:
        """Go on with what was decided outside of the chat while a turn was running."""

    def live_ended(self) -> None:
        """Forget the live run, which is over, and release the chat."""


class Engine(Protocol):
    """Runs one chat. The chat holds its lock while it calls any of these."""

    is_live: bool
    is_closing: bool

    async def say(self, said: TurnInput, style: ApprovalStyleName) -> Turn:
        """Open a turn with a new user message. It cancels what is open."""
        ...

    async def read(self) -> OpenTurn | None:
        """Read what the client may answer. None if this engine has made no calls."""
        ...

    def made(self, calls: Iterable[Call]) -> bool:
        """Return whether this engine can go on with these calls."""
        ...

    def reserve(self, style: ApprovalStyleName) -> Turn:
        """Begin the turn that answers open, or raise why not."""
        ...

    def abandon(self) -> None:
        """Forget the turn that was begun for answers which are refused, if there is one."""

    async def answer(
        self, turn: Turn, opened: OpenTurn, plan: Plan, said: TurnInput, style: ApprovalStyleName
    ) -> None:
        """Go on where the chat waited. The decisions of the plan are committed."""
        ...


class OneTurnEngine(Engine, Protocol):
    """Runs one turn and keeps nothing for the next."""

    async def go_on(self) -> None:
        """Continue after a call was decided outside of the chat. Nobody reads the turn."""


class LongEngine(Engine, Protocol):
    """Stays behind many turns: a live run."""

    socket: SocketSlot
    observed: LiveSessionTelemetry

    async def speak(self, pcm: bytes | None) -> None:
        """Send a piece of the user's speech, 16 kHz PCM; None when it is over."""

    def stop(self) -> bool:
        """End the open turn. Return False if none is open."""
        ...

    async def close(self, patience: float | None = None) -> None:
        """End the run. A running tool is waited for; calls that wait stay open."""


@dataclass(frozen=True, slots=True)
class Engines:
    """The makers of both engines, for the chats of one agent."""

    agent: BaseNode
    request: Callable[[RunnableChat], OneTurnEngine]
    live: Callable[[RunnableChat], LongEngine] | None = None
