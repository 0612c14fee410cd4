"""RemoteChat: a chat that another worker runs, with the same verbs as one that is run here."""

from collections.abc import AsyncIterator

from adk_stream_protocol.approvals.record import Principal
from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chat_id import ChatId
from adk_stream_protocol.chats.turn import Turn
from adk_stream_protocol.convert.decode import TurnInput
from adk_stream_protocol.convert.encode.approval_style import ApprovalStyleName
from adk_stream_protocol.errors import Relayed, Unavailable
from adk_stream_protocol.protocol.chunks import AnyChunk
from adk_stream_protocol.telemetry.instruments import log_event
from adk_stream_protocol.workers import messages
from adk_stream_protocol.workers.relay import Relay


class RemoteChat:
    """Every verb asks the worker that holds the chat; if none does, there is nothing to do."""

    def __init__(self, id: ChatId, relay: Relay, tasks: BackgroundTasks) -> None:
        self.id = id
        self._relay = relay
        self._tasks = tasks

    async def open_turn(
        self, who: Principal, turn_input: TurnInput, style: ApprovalStyleName
    ) -> Turn | None:
        """Answer calls of a live run over there. None if no live run takes the answers."""
        answers, message_id = turn_input.answers, turn_input.message_id
        request = messages.GiveAnswers(self.id, who, answers, message_id, style)
        match await self._ask(request):
            case messages.Refused(status, code, text):
                raise Relayed(status, code, text)
            case messages.Opened(log) if log:
                if turn := await self.read(log):
                    return turn
                raise Unavailable("Your answer was received, but its result cannot be shown.")
            case _:
                return None

    async def read(self, log: str | None = None) -> Turn | None:
        """Read a turn that runs over there: the one of a log, or whichever runs now."""
        followed = await self._relay.follow(self.id, log)
        if followed is None:
            return None
        log_event("turn of another worker followed", chat_id=self.id.chat)
        batches, prefix = followed
        turn = Turn("", self.id)
        turn.message_prefix = lambda: prefix
        self._tasks.spawn(_copy(batches, turn))
        return turn

    async def stop(self) -> bool:
        """Stop the running turn. Return False if none runs."""
        return await self._request(messages.Stop(self.id)) == messages.Done(True)

    async def end(self) -> None:
        """End everything that goes on, a live run included."""
        await self._request(messages.End(self.id))

    async def go_on(self) -> bool:
        """Continue after a call was decided outside of the chat. False if nobody runs it."""
        return await self._ask(messages.Continue(self.id)) is not None

    async def message_in_the_making(self) -> str | None:
        """Name the message that is being made: empty if it has no id yet, None if idle."""
        try:
            reply = await self._request(messages.AskActivity(self.id))
        except Unavailable:
            return ""  # something may go on: nothing is said to have been cut off
        return reply.message_id if isinstance(reply, messages.Activity) else None

    async def _ask(self, request: messages.Request) -> messages.Reply | None:
        """Ask where the answer may be missing: None also if nobody can be reached."""
        try:
            return await self._request(request)
        except Unavailable:
            return None

    async def _request(self, request: messages.Request) -> messages.Reply | None:
        reply = await self._relay.request(request)
        if reply is not None:
            asked = request.__struct_config__.tag
            log_event("another worker answered", chat_id=self.id.chat, asked=asked)
        return reply


async def _copy(batches: AsyncIterator[list[AnyChunk]], turn: Turn) -> None:
    async for batch in batches:
        turn.put(batch)
    turn.end([])
