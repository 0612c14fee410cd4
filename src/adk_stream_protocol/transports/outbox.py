"""What goes out on one socket: turns side by side, one task each, and answers in between.

Nothing but their order tells the turns of the envelope dialect apart: there they go one by one, and
so do refusals. A socket that cannot keep up is closed: nothing waits for it, and it holds nothing
back.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from starlette import types as asgi
from starlette.websockets import WebSocket, WebSocketDisconnect

from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.chats.turn import Reader, Turn
from adk_stream_protocol.protocol.frames import EnvelopeReply, SdkReply

logger = logging.getLogger(__name__)

IDLE_SECONDS = 3600.0
MAX_WAITING = 64
ABNORMAL, TOO_MANY, TOO_SLOW = 1006, 1008, 1013

Reply = SdkReply | EnvelopeReply
Sending = Callable[..., Awaitable[None]]


class Outbox:
    """The way out of one socket."""

    def __init__(self, websocket: WebSocket, send: asgi.Send, stalled: float) -> None:
        self._websocket = websocket
        self._send = send
        self._stalled = stalled
        self._turns: dict[str, Turn] = {}
        self._tasks = BackgroundTasks()
        self._in_order = asyncio.Lock()
        self._ahead = 0
        """What is being sent in order, or waits for that."""

    async def send(self, messages: list[str]) -> None:
        """Send messages now, or raise WebSocketDisconnect."""
        send = self._send
        try:
            for message in messages:
                await send({"type": "websocket.send", "text": message})
        except (OSError, RuntimeError):  # it is gone, or closed by us
            raise WebSocketDisconnect(ABNORMAL) from None

    async def answer(self, reply: Reply, messages: list[str]) -> None:
        """Send what is a whole answer by itself, but not into the middle of another one."""
        if isinstance(reply, SdkReply):
            await self.send(messages)
        elif not self._ahead:
            await self._one_by_one(self.send, messages)
        elif self._ahead < MAX_WAITING:
            self._begin(reply, self.send, messages)
        else:
            self.close_soon(TOO_MANY, "too many messages at once")

    def send_soon(self, messages: list[str]) -> None:
        """Send messages if the socket is still there."""
        self._tasks.spawn(self._quietly(self.send, messages))

    def close_soon(self, code: int, why: str) -> None:
        """Close the socket, unless it is closed."""
        self._tasks.spawn(self._quietly(self._websocket.close, code, why))

    @property
    def is_sending(self) -> bool:
        """Return whether a turn is being sent."""
        return bool(self._turns)

    def turn_of(self, request_id: str) -> Turn | None:
        """The turn that is being sent to a request."""
        return self._turns.get(request_id)

    def cancel(self) -> None:
        """The socket is gone."""
        self._tasks.cancel()

    def follow(
        self, request_id: str, turn: Turn, reply: Reply, *, from_message_start: bool = False
    ) -> None:
        """Send a turn until it ends."""
        self._turns[request_id] = turn
        reader = turn.reader(from_message_start=from_message_start)
        sending = self._begin(reply, self._pass_on, request_id, turn, reader, reply)
        # Also a job that is cancelled before it began leaves its reader.
        sending.add_done_callback(lambda _: reader.close())

    def _begin(self, reply: Reply, do: Sending, *what: Any) -> asyncio.Task[None]:
        if isinstance(reply, SdkReply):
            return self._tasks.begin(self._quietly(do, *what))
        self._ahead += 1
        job = self._tasks.begin(self._quietly(self._one_by_one, do, *what))
        job.add_done_callback(self._is_sent)
        return job

    async def _one_by_one(self, do: Sending, *what: Any) -> None:
        async with self._in_order:
            await do(*what)

    def _is_sent(self, _: object) -> None:
        self._ahead -= 1

    async def _pass_on(self, request_id: str, turn: Turn, reader: Reader, reply: Reply) -> None:
        try:
            await self._send_turn(reader, reply)
        finally:
            if self._turns.get(request_id) is turn:
                del self._turns[request_id]

    async def _send_turn(self, reader: Reader, reply: Reply) -> None:
        try:
            async with asyncio.timeout(None) as patience:
                while (batch := await reader.next(IDLE_SECONDS)) is not None:
                    patience.reschedule(asyncio.get_running_loop().time() + self._stalled)
                    await self.send(reply.chunks(batch))
                    patience.reschedule(None)
                if reader.is_done:
                    await self.send([reply.end()])
                else:
                    await self._websocket.close(TOO_SLOW, "too slow")
        except TimeoutError:
            await self._websocket.close(TOO_SLOW, "too slow")

    async def _quietly(self, do: Sending, *what: Any) -> None:
        try:
            await do(*what)
        except (WebSocketDisconnect, RuntimeError):
            logger.debug("the socket was gone before all was sent")
