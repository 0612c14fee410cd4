"""The turns of a live run whose events the test writes, in a chat that is nothing but a slot."""

import asyncio

from google.adk.events.event import Event

from adk_stream_protocol.adk.chat_calls import ChatCalls
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.live.turns import LiveTurns
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.errors import Busy, TooMany
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.workers.lease import ChatLease
from adk_stream_protocol.workers.relay import LocalRelay


class SlotChat:
    """A chat that has room for one turn."""

    def __init__(self) -> None:
        self.id = ChatId("clerk", "alice", "c")
        self.calls = ChatCalls()
        self.lease = ChatLease(self.id, LocalRelay())
        self.lock = asyncio.Lock()
        self.turn: Turn | None = None
        self.openings = 0
        self.is_full = False
        """The user has too many turns elsewhere."""

    def reserve(self) -> Turn:
        if self.turn:
            raise Busy("A turn is already running in this chat.")
        if self.is_full:
            raise TooMany("You have too many turns running.")
        self.turn = Turn("r", self.id)
        return self.turn

    def release(self, turn: Turn) -> None:
        if self.turn is turn:
            self.turn = None

    def drop(self, turn: Turn) -> None:
        self.release(turn)
        turn.end([])

    async def request_ended(self, turn: Turn) -> None:
        raise AssertionError("there is no request")

    async def continue_if_decided(self) -> None:
        raise AssertionError("there is no request")

    def live_ended(self) -> None:
        raise AssertionError("there is no run")


class LiveScene:
    """The turns of a run, and those that the server began by itself."""

    def __init__(self, *, audio: bool = False) -> None:
        self.chat = SlotChat()
        self.stored: list[Event] = []
        self.own: list[Turn] = []
        self.turns = LiveTurns(
            self.chat, audio=audio, events=lambda: self.stored, on_own=self.own.append
        )

    def ask(self, message_id: str = "m1") -> Turn:
        """The client says something to the model."""
        self.turns.refuse_second()
        turn = self.turns.reserve(interrupts=True)
        self.turns.install(turn, message_id)
        self.turns.progress.sent()
        return turn

    def answer(self, message_id: str = "m1") -> Turn:
        """The client answers a call."""
        turn = self.turns.reserve()
        self.turns.install(turn, message_id, calls=self.turns.encoder.calls)
        return turn

    def happen(self, *events: Event) -> None:
        """ADK brings these."""
        for event in events:
            self.stored.append(event)
            self.turns.encode(event)


def chunks_of(turn: Turn) -> list[AnyChunk]:
    """What a turn has brought so far."""
    return turn.since(0) or []
