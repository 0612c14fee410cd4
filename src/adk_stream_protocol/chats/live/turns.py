"""The turns of one live run: which of them an event belongs to, and where it begins and ends.

If no turn is open when the model has something to say, the server begins one of its own. While a
call waits, such a turn goes on with the message that holds the call.
"""

from collections.abc import Callable
from functools import partial
from secrets import token_hex
from typing import Any

from google.adk.events.event import Event

from adk_stream_protocol.chats.engine import RunnableChat
from adk_stream_protocol.chats.failures import failure_of
from adk_stream_protocol.chats.turn import Turn, new_message_id
from adk_stream_protocol.convert.calls import Call
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.convert.encode.live import LiveProgress, LiveTurnEncoder, is_waiting
from adk_stream_protocol.convert.history.ui_messages import message_prefix
from adk_stream_protocol.errors import Busy, StreamProtocolError
from adk_stream_protocol.protocol.chunks import AnyChunk


class LiveTurns:
    """At most one turn is open at a time."""

    def __init__(
        self,
        chat: RunnableChat,
        *,
        audio: bool,
        events: Callable[[], list[Event]],
        on_own: Callable[[Turn], None],
    ) -> None:
        self._chat = chat
        self._audio = audio
        self._events = events
        self._on_own = on_own
        self._message_prefix: Callable[[], list[AnyChunk]] = list
        self.style: ApprovalStyleName = "native"
        self.progress = LiveProgress()
        self.open: Turn | None = None
        self._is_clients = False
        """The open turn was opened by the client, who reads it."""
        self._muted = False
        """The model still has to end what the user has stopped, or left for a new message."""
        self._encoder: LiveTurnEncoder | None = None

    @property
    def encoder(self) -> LiveTurnEncoder:
        """The encoder of the open turn, or of the next one. An idle chat keeps none."""
        if self._encoder is None:
            self._encoder = self._encoder_of(None, new_message_id())
        return self._encoder

    def reserve(self, *, interrupts: bool = False) -> Turn:
        """Begin a turn for the client, which is open once it is installed."""
        if interrupts:
            self._mute()
        self.end_open()
        return self._chat.reserve()

    def refuse_second(self) -> None:
        """Raise Busy if the client has a turn already."""
        if self.open and self._is_clients:
            raise Busy("A turn is already running in this chat.")

    def install(self, turn: Turn, message_id: str | None, **options: Any) -> LiveTurnEncoder:
        """Open a turn for the client: events belong to it from now on."""
        encoder = self._encoder_of(turn, message_id, **{"after": self._encoder, **options})
        self._install(turn, encoder, is_clients=True)
        return encoder

    def encode(self, event: Event) -> None:
        """Put an event where it belongs."""
        encoder = self._encoder or self.encoder
        if self._muted:
            # What is cut short is `interrupted` first and then, as all else, complete.
            self._muted = not event.turn_complete
            return
        chunks = encoder.encode(event)
        is_over = self.progress.is_over_after(event, encoder.calls)
        turn = self.open or (self._begin() if chunks or encoder.keeps_answer else None)
        if turn:
            turn.put(chunks)
            if is_over:
                self.finish(encoder.finish())

    def settle(self, call: Call) -> None:
        """Show the end of an open call that no event will bring."""
        known = self.encoder.calls.by_id.get(call.id)
        if known and (turn := self.open or self._begin()):
            known.response = call.response
            turn.put(self.encoder.settle(known))
            if not self._is_clients and not self.progress.owes_more:
                self.finish(self.encoder.finish())

    def decided(self, call_id: str, approved: bool) -> None:
        """Show that a person answered elsewhere."""
        call = self.encoder.calls.by_id.get(call_id)
        if call is None or call.decision is not None:
            return
        call.decision = approved
        if chunks := self.encoder.decided(call, approved):
            if turn := self.open or self._begin():
                turn.put(chunks)

    def end_if_idle(self, *, is_due: bool) -> None:
        """End the turn of answers if nothing more comes by itself."""
        calls = self.encoder.calls
        if self.open and (is_waiting(calls) or not (is_due or calls.running())):
            self.finish(self.encoder.finish())

    def end_if_waiting(self) -> None:
        """End the turn if nothing more comes before a person or the browser answers."""
        if self.open and is_waiting(self.encoder.calls):
            self.progress.abandon()
            self.finish(self.encoder.finish())

    def end_open(self) -> None:
        """End the open turn: the client begins something new."""
        if self.open:
            self.finish(self.encoder.finish())

    def stop(self) -> bool:
        """End the open turn. What the model still says to it is not passed on."""
        if self.open is None:
            return False
        self._mute()
        self.finish(self.encoder.stop())
        return True

    def _mute(self) -> None:
        if not self.encoder.calls.open():  # else it may have ended without a word about it
            self._muted = self._muted or self.progress.owes_more
            self.progress.abandon()

    def finish(self, closing: list[AnyChunk]) -> None:
        """Close the open turn with these chunks."""
        turn, before = self.open, self.encoder
        assert turn is not None
        self._chat.release(turn)
        self.open = None
        turn.end(closing)
        self._message_prefix = list
        if before.calls.open():
            self._message_prefix = partial(message_prefix, self._events(), self.style)
            self._encoder = self._encoder_of(
                None, before.message_id, after=before, calls=before.calls, joins=True
            )
        else:
            self._encoder = None

    def fail(self, error: Exception | None) -> None:
        """End the open turn with the run, which is over."""
        if self.open:
            failed = error and self.encoder.fail(failure_of(error))
            self.finish(failed or self.encoder.stop())

    def _begin(self) -> Turn | None:
        """Begin a turn that no client asked for."""
        try:
            turn = self._chat.reserve()
        except StreamProtocolError:
            return None
        turn.message_prefix = self._message_prefix
        self._install(turn, self.encoder, is_clients=False)
        self._on_own(turn)
        return turn

    def _install(self, turn: Turn, encoder: LiveTurnEncoder, *, is_clients: bool) -> None:
        turn.encoder = self._encoder = encoder
        self.open, self._is_clients = turn, is_clients
        turn.put(encoder.start())

    def _encoder_of(
        self, turn: Turn | None, message_id: str | None, **options: Any
    ) -> LiveTurnEncoder:
        reference = turn.reference if turn else token_hex(4)
        return LiveTurnEncoder(
            message_id, approvals=self.style, reference=reference, audio=self._audio, **options
        )
