"""Messenger: messages between workers over Redis publish/subscribe.

A message that is sent while Redis is away is lost.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from secrets import token_hex
from typing import Any

import msgspec

from adk_stream_protocol.background_tasks import BackgroundTasks
from adk_stream_protocol.failure_log import log_failure
from adk_stream_protocol.workers.messages import Message, Posted, Replied, Reply, Request
from adk_stream_protocol.workers.redis.away import AWAY
from adk_stream_protocol.workers.relay import Handle

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 5.0
AGAIN_SECONDS = 0.2
LOOK_SECONDS = 0.1  # how often a worker that is asked is looked at: it may have died

_encode = msgspec.json.Encoder().encode
_posted = msgspec.json.Decoder(Posted).decode
_replied = msgspec.json.Decoder(Replied).decode


class Messenger:
    """Sends and receives the messages of one worker.

    Three channels are listened to: one for all workers, one for requests to this worker, and one
    for the replies to its own requests.
    """

    def __init__(
        self,
        redis: Any,
        channel: str,
        me: str,
        handle: Handle,
        on_open: Callable[[], Awaitable[None]],
    ) -> None:
        self._redis = redis
        self._channel = channel
        self._me = me
        self._handle = handle
        self._on_open = on_open
        self._pending: dict[str, asyncio.Future[Reply]] = {}
        self._tasks = BackgroundTasks()
        self.is_open = asyncio.Event()

    async def listen(self) -> None:
        """Receive until cancelled, through every loss of the connection."""
        channels = (self._channel, self._inbox(self._me), self._replies(self._me))
        try:
            while True:
                try:
                    async with self._redis.pubsub() as subscription:
                        await subscription.subscribe(*channels)
                        await self._receive(subscription, len(channels))
                except AWAY:
                    self.is_open.clear()
                    await asyncio.sleep(AGAIN_SECONDS)
        finally:
            self._tasks.cancel()

    async def _receive(self, subscription: Any, channels: int) -> None:
        while True:
            found = await subscription.get_message(timeout=5.0)
            if found and found["type"] == "message":
                if found["channel"].decode() == self._replies(self._me):
                    self._resolve(_replied(found["data"]))
                else:
                    self._dispatch(_posted(found["data"]))
            elif found and found["type"] == "subscribe" and found["data"] == channels:
                self.is_open.set()
                self._tasks.spawn(self._opened())

    async def _opened(self) -> None:
        await self._on_open()

    def _resolve(self, replied: Replied) -> None:
        future = self._pending.get(replied.number)
        if future and not future.done():
            future.set_result(replied.reply)

    def _dispatch(self, posted: Posted) -> None:
        if posted.sender != self._me:
            self._tasks.spawn(self._react(posted))

    async def _react(self, posted: Posted) -> None:
        try:
            reply = await self._handle(posted.message)
        except Exception as error:
            kind = type(posted.message).__name__
            log_failure(
                logger, error, "the message %s of another worker could not be handled", kind
            )
            return
        if reply is not None and posted.number is not None:
            replied = Replied(self._me, reply, posted.number)
            await self._send(self._replies(posted.sender), replied)

    async def broadcast(self, message: Message) -> None:
        """Send a message to all workers."""
        await self._send(self._channel, Posted(self._me, message))

    async def request(
        self, worker: str, message: Request, is_gone: Callable[[], bool]
    ) -> Reply | None:
        """Ask one worker. None: it does not hear, does not answer, or is gone."""
        number = token_hex(8)
        reply = self._pending[number] = asyncio.get_running_loop().create_future()
        try:
            if not await self._send(self._inbox(worker), Posted(self._me, message, number)):
                return None
            async with asyncio.timeout(ANSWER_SECONDS):
                while not (reply.done() or is_gone()):
                    await asyncio.wait({reply}, timeout=LOOK_SECONDS)
            return reply.result() if reply.done() else None
        except TimeoutError:
            logger.warning("another worker did not answer (%s)", type(message).__name__)
            return None
        finally:
            del self._pending[number]

    async def _send(self, channel: str, message: Posted | Replied) -> int:
        """Return how many workers received it."""
        try:
            return await self._redis.publish(channel, _encode(message))
        except AWAY:
            logger.warning("Redis is away: a message to other workers is lost")
            return 0

    def _inbox(self, worker: str) -> str:
        return f"{self._channel}:{worker}"

    def _replies(self, worker: str) -> str:
        return f"{self._channel}:{worker}:replies"
